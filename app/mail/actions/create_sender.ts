import { Account, lockAccountRow } from '#accounts/public'
import { accountIdOf, type Actor } from '#core/contracts/actor'
import { sendMail } from '#core/mail/send_mail'
import { conflict } from '#core/app_error'
import { type Requester, withLockedSender, auditSender } from '#mail/actions/change_sender'
import { tryVerifySenderByDomain } from '#mail/actions/verify_sender'
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
 * Adds an address. At an active domain of the account it is verified at once; else a link goes to it. Whether
 * another account has it is not told here, only to who opens the link.
 * @param email in lower case
 * @throws refusal 409 where the account has as many as it can, 422 at `email`, 429, 503
 */
export async function createSender(actor: Actor, email: string, ip?: string): Promise<Sender> {
  const accountId = accountIdOf(actor)
  return db.transaction(async (trx) => {
    await lockAccountRow(accountId, trx)
    if ((await countSendersOfAccount(accountId, trx)) >= MAX_SENDERS) throw tooManySenders()
    if (await Sender.live({ client: trx }).where({ accountId, email }).first()) throw emailTaken()
    const values = { accountId, email, status: 'pending', sentMailCount: {} } as const
    const sender = await Sender.create(values, { client: trx })
    if (!(await tryVerifySenderByDomain(sender, trx)))
      await sendVerificationLink(sender, actor, trx)
    await sender.save()
    await auditSender(sender, 'sender.store', { actor, ip }, undefined, trx)
    return sender
  })
}

/** Sends another link; the one before it ends. Throws 409 where it is not pending, 429 too soon. */
export async function resendVerificationLink(
  sender: Sender,
  by: Requester & { actor: Actor }
): Promise<void> {
  await withLockedSender(sender, 'sender.link', by, async (locked, trx) => {
    if (locked.status !== 'pending') throw conflict(`${locked.email} is already ${locked.status}.`)
    const waited = DateTime.utc()
      .diff(locked.linkSentAt ?? DateTime.fromSeconds(0))
      .as('seconds')
    if (waited < LINK_RESEND_INTERVAL_SECONDS)
      throw linkSentTooRecently(Math.ceil(LINK_RESEND_INTERVAL_SECONDS - waited))
    await sendVerificationLink(locked, by.actor, trx)
  })
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

/** Counts on the connection of the transaction: a second one could wait for those that wait for this one. */
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
