import { Account } from '#accounts/public'
import { audit } from '#core/audit/audit'
import type { Actor } from '#core/contracts/actor'
import { conflict, notFound } from '#core/app_error'
import { withLock } from '#core/locks'
import { confirmationMismatch } from '#mail/errors'
import Sender from '#mail/models/sender'
import { callMailService } from '#mail/call_mail_service'
import { senderServiceState } from '#mail/states/sender'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { DateTime } from 'luxon'

/** @param actor null for Berth itself, or for somebody who is not signed in */
export interface Requester {
  actor: Actor | null
  ip?: string
}

/** Runs one change of an email address at a time, in all accounts that have the address. */
export const withSenderLock = <T>(email: string, work: () => Promise<T>) =>
  withLock(`mail-sender:${email}`, work)

/**
 * Runs one change of an address at a time: first at the service, then in the row and the audit log. If the
 * service rejects the change, nothing changes here. `run` may take long, so no transaction is open meanwhile.
 */
export async function withLockedSender<Result>(
  { id, email }: Pick<Sender, 'id' | 'email'>,
  action: string,
  by: Requester,
  run: (sender: Sender) => Promise<Result>,
  after?: Record<string, unknown>
): Promise<Result> {
  return withSenderLock(email, async () => {
    const sender = await Sender.live().where('id', id).first()
    if (!sender) throw notFound('address')
    const result = await run(sender)
    await saveSender(sender, action, by, after)
    return result
  })
}

/** Saves an address together with its entry in the audit log. */
export async function saveSender(
  sender: Sender,
  action: string,
  by: Requester,
  after?: Record<string, unknown>
): Promise<void> {
  await db.transaction(async (trx) => {
    await sender.useTransaction(trx).save()
    await auditSender(sender, action, by, after, trx)
  })
}

/** Writes into the log what was done to an address. */
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

/** Gives the service's sender the state that this one should have; one that was never verified is not there. */
export async function syncSenderState(sender: Sender): Promise<void> {
  if (!sender.secretKey) return
  const account = await Account.findOrFail(sender.accountId)
  await callMailService('changeSender', {
    id: sender.id,
    state: senderServiceState(sender, account.status),
  })
}

/** Nothing is sent from it until it is resumed. Throws 409 where it is already suspended. */
export async function suspendSender(sender: Sender, reason: string, by: Requester): Promise<void> {
  const suspend = async (locked: Sender) => {
    if (locked.status === 'suspended') throw conflict(`${locked.email} is already suspended.`)
    locked.merge({ status: 'suspended', statusReason: reason })
    await syncSenderState(locked)
  }
  await withLockedSender(sender, 'sender.suspend', by, suspend, { reason })
}

/** Undoes just that: one that was never verified still is not, and of a suspended account it stays paused. */
export async function resumeSender(sender: Sender, by: Requester): Promise<void> {
  await withLockedSender(sender, 'sender.resume', by, async (locked) => {
    if (locked.status !== 'suspended') throw conflict(`${locked.email} is not suspended.`)
    locked.merge({ status: locked.verifiedAt ? 'verified' : 'pending', statusReason: null })
    await syncSenderState(locked)
  })
}

/**
 * Deletes an address: what waits is not sent any more, and its secret ends.
 * @param typed the address, exactly; 422 otherwise
 */
export async function deleteSender(sender: Sender, typed: unknown, by: Requester): Promise<void> {
  if (typed !== sender.email) throw confirmationMismatch('email')
  await withLockedSender(sender, 'sender.delete', by, async (locked) => {
    locked.status = 'deleted'
    await syncSenderState(locked)
    locked.merge({ secretKey: null, tokenDigest: null, deletedAt: DateTime.utc() })
  })
}

/** Whether opening is told. */
export async function changeSenderSettings(
  sender: Sender,
  trackOpens: boolean,
  by: Requester
): Promise<void> {
  const change = ({ id }: Sender) => callMailService('changeSender', { id, trackOpens })
  await withLockedSender(sender, 'sender.update', by, change, { track_opens: trackOpens })
}

/** Messages that it can send in an hour. */
export async function changeSenderLimit(
  sender: Sender,
  hourlyLimit: number,
  by: Requester
): Promise<void> {
  const change = ({ id }: Sender) => callMailService('changeSender', { id, hourlyLimit })
  await withLockedSender(sender, 'sender.update', by, change, { hourly_limit: hourlyLimit })
}

/** A new secret; the old one ends after so many seconds. */
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
