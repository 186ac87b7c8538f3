import { Account } from '#accounts/public'
import { type Requester, auditSender, syncSenderState } from '#mail/actions/change_sender'
import { linkExpired, verifiedByAnotherAccount } from '#mail/errors'
import MailDomain from '#mail/models/mail_domain'
import Sender from '#mail/models/sender'
import { callMailService } from '#mail/call_mail_service'
import { senderServiceState } from '#mail/states/sender'
import { hashToken } from '#mail/tokens'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { DateTime } from 'luxon'

/** What a link can verify, or null for one that is used, too old or never was. */
export async function findSenderByLink(
  token: string
): Promise<{ sender: Sender; account: Account } | null> {
  const sender = await byToken(token)
  return sender && { sender, account: await Account.findOrFail(sender.accountId) }
}

/**
 * Whoever has the link reads the mail of the address: it is verified, and the service makes its sender.
 * @throws refusal 409 for a dead link, or where another account has verified the address; 503
 */
export async function verifySenderByLink(token: string, by: Requester): Promise<Sender> {
  return db.transaction(async (trx) => {
    const sender = await byToken(token, trx)
    if (!sender) throw linkExpired()
    if (!(await isFree(sender, trx))) throw verifiedByAnotherAccount()
    await verify(sender, 'link')
    await sender.save()
    await auditSender(sender, 'sender.verify', by, { by: 'link' }, trx)
    return sender
  })
}

/**
 * Verifies an address whose domain is active in its account, where no other account has verified it. Gives
 * whether it did; saving is the caller's.
 */
export async function tryVerifySenderByDomain(
  sender: Sender,
  trx: TransactionClientContract
): Promise<boolean> {
  const { accountId, domain } = sender
  const own = { accountId, domain, status: 'active' }
  if (!(await MailDomain.query({ client: trx }).where(own).first())) return false
  if (!(await isFree(sender, trx))) return false
  await verify(sender, 'domain')
  return true
}

async function byToken(token: string, trx?: TransactionClientContract): Promise<Sender | null> {
  const query = Sender.query({ client: trx })
    .where({ tokenDigest: hashToken(token), status: 'pending' })
    .where('tokenExpiresAt', '>', DateTime.utc().toSQL()!)
  return trx ? query.forUpdate().first() : query.first()
}

/** One account has an address. Asked under a lock of the address, so that of two at once one is told no. */
async function isFree({ id, email }: Sender, trx: TransactionClientContract): Promise<boolean> {
  await trx.rawQuery('select pg_advisory_xact_lock(hashtext(?))', [`mail-sender:${email}`])
  const other = await Sender.live({ client: trx })
    .where({ email })
    .whereNot({ id })
    .whereNotNull('verifiedAt')
    .first()
  return other === null
}

async function verify(sender: Sender, verifiedBy: 'link' | 'domain'): Promise<void> {
  const { id, accountId, email } = sender
  const wasThere = sender.secretKey !== null
  const { secret } = await callMailService('makeSender', { id, accountId, email })
  sender.merge({
    status: 'verified',
    verifiedBy,
    verifiedAt: DateTime.utc(),
    secretKey: secret,
    tokenDigest: null,
    tokenExpiresAt: null,
  })
  const account = await Account.findOrFail(accountId, { client: sender.$trx })
  // A new sender is active; one that was paused, or belongs to a suspended account, is told.
  if (wasThere || senderServiceState(sender, account.status) !== 'active')
    await syncSenderState(sender)
}

/** The addresses that a domain had verified are so no longer: each needs a link of its own now. */
export async function unverifySendersOfDomain(
  { accountId, domain }: Pick<MailDomain, 'accountId' | 'domain'>,
  by: Requester,
  trx: TransactionClientContract
): Promise<void> {
  const senders = await Sender.live({ client: trx })
    .where({ accountId, verifiedBy: 'domain' })
    .whereNotNull('verifiedAt')
    .whereRaw(`split_part(email, '@', 2) = ?`, [domain])
    .forUpdate()
  for (const sender of senders) {
    sender.merge({ verifiedAt: null, verifiedBy: null })
    if (sender.status === 'verified') sender.status = 'pending'
    await syncSenderState(sender)
    await sender.save()
    await auditSender(sender, 'sender.lapse', by, { domain }, trx)
  }
}

/** The addresses of an account that wait for a link, at a domain that has become active. */
export async function verifyPendingSendersOfDomain(
  { accountId, domain }: Pick<MailDomain, 'accountId' | 'domain'>,
  by: Requester,
  trx: TransactionClientContract
): Promise<void> {
  const senders = await Sender.query({ client: trx })
    .where({ accountId, status: 'pending' })
    .whereRaw(`split_part(email, '@', 2) = ?`, [domain])
    .forUpdate()
  for (const sender of senders) {
    if (!(await tryVerifySenderByDomain(sender, trx))) continue
    await sender.save()
    await auditSender(sender, 'sender.verify', by, { by: 'domain' }, trx)
  }
}
