import { Account, lockAccountRow } from '#accounts/public'
import { accountIdOf, type Actor } from '#core/contracts/actor'
import { sendMail } from '#core/mail/send_mail'
import { conflict, notFound } from '#core/app_error'
import { reserveId } from '#core/reserve_id'
import {
  type Requester,
  withSenderLock,
  auditSender,
  lockVerifyingDomain,
} from '#mail/actions/change_sender'
import { tryVerifySenderByDomain } from '#mail/actions/verify_sender'
import { callMailService } from '#mail/call_mail_service'
import { emailTaken, linkSentTooRecently, tooManyLinks, tooManySenders } from '#mail/errors'
import {
  LINK_LIFETIME_HOURS,
  LINK_RESEND_INTERVAL_SECONDS,
  MAX_LINKS_PER_ACCOUNT_PER_HOUR,
  MAX_LINKS_PER_EMAIL_PER_DAY,
  MAX_SENDERS,
} from '#mail/limits'
import { verificationMail } from '#mail/mails'
import Sender from '#mail/models/sender'
import { countSendersOfAccount } from '#mail/queries/senders'
import { hashToken } from '#mail/tokens'
import { errors as limiterErrors } from '@adonisjs/limiter'
import LimiterDatabaseStore from '@adonisjs/limiter/stores/database'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { DateTime } from 'luxon'
import { randomBytes } from 'node:crypto'

/**
 * If the domain is active in the account, and no other account has verified the address, it is
 * verified immediately. Otherwise Berth emails a link to it.
 * @param email in lower case
 * @throws AppError 409 if the account has the maximum number, or the domain was removed meanwhile;
 * 422 at `email`, 429, 503
 */
export async function createSender(actor: Actor, email: string, ip?: string): Promise<Sender> {
  const accountId = accountIdOf(actor)
  return withSenderLock(email, async (lock) => {
    await assertCanCreate(accountId, email)
    const sender = new Sender().merge({ accountId, email, status: 'pending', sentMailCount: {} })
    sender.id = await reserveId(Sender.table)
    const isVerified = await tryVerifySenderByDomain(sender)
    try {
      await db.transaction(async (trx) => {
        await lockAccountRow(accountId, trx)
        await assertCanCreate(accountId, email, trx)
        if (!isVerified) await sendVerificationLink(sender, actor, trx)
        await lockVerifyingDomain(sender, trx)
        await sender.useTransaction(trx).save()
        await auditSender(sender, 'sender.store', { actor, ip }, undefined, trx)
        await lock.assertHeld(trx)
      })
    } catch (error) {
      // Deletes the sender at the mail service only if its row is missing. The commit may have
      // succeeded although its response was lost.
      if (isVerified && !(await Sender.find(sender.id).catch(() => true))) {
        void callMailService('changeSender', { id: sender.id, state: 'deleted' }).catch(() => {})
      }
      throw error
    }
    return sender
  })
}

/** The result is certain only in a transaction that has locked the account's row. */
async function assertCanCreate(
  accountId: number,
  email: string,
  trx?: TransactionClientContract
): Promise<void> {
  if ((await countSendersOfAccount(accountId, trx)) >= MAX_SENDERS) throw tooManySenders()
  if (await Sender.live({ client: trx }).where({ accountId, email }).first()) throw emailTaken()
}

/**
 * Emails a new link, which replaces the old one.
 * @throws 409 if the address is not pending, 429 if too soon
 */
export async function resendVerificationLink(
  sender: Sender,
  by: Requester & { actor: Actor }
): Promise<void> {
  const resend = async (trx: TransactionClientContract) => {
    const locked = await Sender.live({ client: trx }).where('id', sender.id).forUpdate().first()
    if (!locked) throw notFound('address')
    if (locked.status !== 'pending') throw conflict(`${locked.email} is already ${locked.status}.`)
    const waited = DateTime.utc()
      .diff(locked.linkSentAt ?? DateTime.fromSeconds(0))
      .as('seconds')
    if (waited < LINK_RESEND_INTERVAL_SECONDS)
      throw linkSentTooRecently(Math.ceil(LINK_RESEND_INTERVAL_SECONDS - waited))
    await sendVerificationLink(locked, by.actor, trx)
    await locked.save()
    await auditSender(locked, 'sender.link', by, undefined, trx)
  }
  await withSenderLock(sender.email, () => db.transaction(resend))
}

async function sendVerificationLink(
  sender: Sender,
  actor: Actor,
  trx: TransactionClientContract
): Promise<void> {
  await countVerificationLink(
    `account:${sender.accountId}`,
    MAX_LINKS_PER_ACCOUNT_PER_HOUR,
    3_600,
    trx
  )
  await countVerificationLink(`address:${sender.email}`, MAX_LINKS_PER_EMAIL_PER_DAY, 86_400, trx)
  const token = randomBytes(32).toString('base64url')
  const now = DateTime.utc()
  const expiresAt = now.plus({ hours: LINK_LIFETIME_HOURS })
  sender.merge({ tokenDigest: hashToken(token), tokenExpiresAt: expiresAt, linkSentAt: now })
  const account = await Account.findOrFail(sender.accountId, { client: trx })
  const mailData = { token, account: account.name, person: actor.name, until: expiresAt.toJSDate() }
  await sendMail(verificationMail(sender.email, mailData), trx)
}

/**
 * Uses the transaction's connection: a second connection could wait for transactions that wait for
 * this one.
 */
async function countVerificationLink(
  key: string,
  requests: number,
  duration: number,
  trx: TransactionClientContract
): Promise<void> {
  const tableName = 'rate_limits'
  const counter = { tableName, requests, duration, clearExpiredByTimeout: false }
  try {
    await new LimiterDatabaseStore(trx, counter).consume(`mail-link:${key}`)
  } catch (error) {
    if (!(error instanceof limiterErrors.E_TOO_MANY_REQUESTS)) throw error
    throw tooManyLinks(Math.max(1, error.response.availableIn))
  }
}
