import { Account } from '#accounts/public'
import { audit } from '#core/audit/audit'
import type { Actor } from '#core/contracts/actor'
import { conflict, notFound } from '#core/app_error'
import { type HeldLock, withLock } from '#core/locks'
import { confirmationMismatch } from '#mail/errors'
import MailDomain from '#mail/models/mail_domain'
import Sender from '#mail/models/sender'
import { callMailService } from '#mail/call_mail_service'
import { senderServiceState } from '#mail/states/sender'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { DateTime } from 'luxon'

/**
 * The person who requests a change. `actor` is `null` for Berth itself, and for a person who is not
 * signed in.
 */
export interface Requester {
  actor: Actor | null
  ip?: string
}

/** Locks the email address, which senders of several accounts can have, while `work` runs. */
export const withSenderLock = <T>(email: string, work: (lock: HeldLock) => Promise<T>) =>
  withLock(`mail-sender:${email}`, work)

/**
 * `run` changes the sender at the mail service; then the row and the audit log are saved. If the
 * service rejects the change, nothing is saved. `run` may take long, so it runs outside a
 * transaction.
 * @throws 404 if the sender was deleted
 */
export async function withLockedSender<Result>(
  { id, email }: Pick<Sender, 'id' | 'email'>,
  action: string,
  by: Requester,
  run: (sender: Sender) => Promise<Result>,
  after?: Record<string, unknown>
): Promise<Result> {
  return withSenderLock(email, async (lock) => {
    const sender = await Sender.live().where('id', id).first()
    if (!sender) throw notFound('address')
    const result = await run(sender)
    await saveSender(lock, sender, action, by, after)
    return result
  })
}

/** @param lock lock of the address; throws without saving if it was lost */
export async function saveSender(
  lock: HeldLock,
  sender: Sender,
  action: string,
  by: Requester,
  after?: Record<string, unknown>
): Promise<void> {
  await db.transaction(async (trx) => {
    // Locks the row too. The previous release locks only the row, and may have deleted the sender
    // meanwhile.
    const present = await Sender.live({ client: trx }).where('id', sender.id).forUpdate().first()
    if (!present) throw notFound('address')
    await lockVerifyingDomain(sender, trx)
    await sender.useTransaction(trx).save()
    await auditSender(sender, action, by, after, trx)
    await lock.assertHeld(trx)
  })
}

/**
 * If the sender is now verified by its domain, locks that domain. It may have been deleted during
 * the call of the mail service.
 * @throws 409 if the domain is no longer active
 */
export async function lockVerifyingDomain(
  sender: Sender,
  trx: TransactionClientContract
): Promise<void> {
  if (sender.$dirty.verifiedBy !== 'domain') return
  const { accountId, domain } = sender
  const row = { accountId, domain, status: 'active' }
  if (await MailDomain.query({ client: trx }).where(row).forShare().first()) return
  throw conflict(`${domain} was removed or lost its DNS records meanwhile. Try again.`)
}

export async function auditSender(
  { id, accountId, email }: Sender,
  action: string,
  { actor, ip }: Requester,
  after?: Record<string, unknown>,
  trx?: TransactionClientContract
): Promise<void> {
  const subject = { type: 'sender' as const, id, label: email }
  await audit({ actor, accountId, action, subject, after, ip }, trx)
}

/** Does nothing for a sender that was never verified, because the mail service does not know it. */
export async function syncSenderState(sender: Sender): Promise<void> {
  if (!sender.secretKey) return
  const account = await Account.findOrFail(sender.accountId)
  await callMailService('changeSender', {
    id: sender.id,
    state: senderServiceState(sender, account.status),
  })
}

/** @throws 409 if it is already suspended */
export async function suspendSender(sender: Sender, reason: string, by: Requester): Promise<void> {
  const suspend = async (locked: Sender) => {
    if (locked.status === 'suspended') throw conflict(`${locked.email} is already suspended.`)
    locked.merge({ status: 'suspended', statusReason: reason })
    await syncSenderState(locked)
  }
  await withLockedSender(sender, 'sender.suspend', by, suspend, { reason })
}

/**
 * If the account is not active, the mail service pauses the address instead of activating it.
 * @throws 409 if the address is not suspended
 */
export async function resumeSender(sender: Sender, by: Requester): Promise<void> {
  await withLockedSender(sender, 'sender.resume', by, async (locked) => {
    if (locked.status !== 'suspended') throw conflict(`${locked.email} is not suspended.`)
    locked.merge({ status: locked.verifiedAt ? 'verified' : 'pending', statusReason: null })
    await syncSenderState(locked)
  })
}

/**
 * Queued emails are not sent, and the secret key stops working.
 * @param typed must equal the address exactly; 422 otherwise
 */
export async function deleteSender(sender: Sender, typed: unknown, by: Requester): Promise<void> {
  if (typed !== sender.email) throw confirmationMismatch('email')
  await withLockedSender(sender, 'sender.delete', by, async (locked) => {
    locked.status = 'deleted'
    await syncSenderState(locked)
    locked.merge({ secretKey: null, tokenDigest: null, deletedAt: DateTime.utc() })
  })
}

export async function changeSenderSettings(
  sender: Sender,
  trackOpens: boolean,
  by: Requester
): Promise<void> {
  const change = ({ id }: Sender) => callMailService('changeSender', { id, trackOpens })
  await withLockedSender(sender, 'sender.update', by, change, { track_opens: trackOpens })
}

export async function changeSenderLimit(
  sender: Sender,
  hourlyLimit: number,
  by: Requester
): Promise<void> {
  const change = ({ id }: Sender) => callMailService('changeSender', { id, hourlyLimit })
  await withLockedSender(sender, 'sender.update', by, change, { hourly_limit: hourlyLimit })
}

/** Returns the new key. The old one works for `overlap` more seconds. */
export async function rotateSenderSecret(
  sender: Sender,
  overlap: number,
  by: Requester
): Promise<string> {
  const rotate = async (locked: Sender) => {
    const { secret } = await callMailService('rotateSecret', { id: locked.id, overlap })
    locked.secretKey = secret
    return secret
  }
  return withLockedSender(sender, 'sender.rotate', by, rotate, { overlap })
}
