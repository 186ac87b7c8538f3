import { Account } from '#accounts/public'
import {
  type Requester,
  saveSender,
  syncSenderState,
  withSenderLock,
} from '#mail/actions/change_sender'
import { linkExpired, verifiedByAnotherAccount } from '#mail/errors'
import MailDomain from '#mail/models/mail_domain'
import Sender from '#mail/models/sender'
import { callMailService } from '#mail/call_mail_service'
import { senderServiceState } from '#mail/states/sender'
import { hashToken } from '#mail/tokens'
import { DateTime } from 'luxon'

const IS_AT_DOMAIN = `split_part(email, '@', 2) = ?`

/** Returns null if the link is used, replaced, expired or unknown. */
export async function findSenderByLink(
  token: string
): Promise<{ sender: Sender; account: Account } | null> {
  const sender = await byToken(token)
  return sender && { sender, account: await Account.findOrFail(sender.accountId) }
}

/**
 * Only a person who reads the emails to the address has its link. Creates the sender at the mail
 * service.
 * @throws AppError 409 for an expired link, or if another account has verified the address; 503
 */
export async function verifySenderByLink(token: string, by: Requester): Promise<Sender> {
  const waiting = await byToken(token)
  if (!waiting) throw linkExpired()
  return withSenderLock(waiting.email, async (lock) => {
    const sender = await byToken(token)
    if (!sender) throw linkExpired()
    if (!(await isFree(sender))) throw verifiedByAnotherAccount()
    await saveVerifiedSender(sender, 'link')
    await saveSender(lock, sender, 'sender.verify', by, { by: 'link' })
    return sender
  })
}

/**
 * Verifies the sender if its domain is active in the account, and no other account has verified the
 * address. The caller has locked the address and saves the sender.
 */
export async function tryVerifySenderByDomain(sender: Sender): Promise<boolean> {
  const { accountId, domain } = sender
  if (!(await MailDomain.query().where({ accountId, domain, status: 'active' }).first()))
    return false
  if (!(await isFree(sender))) return false
  await saveVerifiedSender(sender, 'domain')
  return true
}

async function byToken(token: string): Promise<Sender | null> {
  return Sender.query()
    .where({ tokenDigest: hashToken(token), status: 'pending' })
    .where('tokenExpiresAt', '>', DateTime.utc().toSQL()!)
    .first()
}

/** Returns whether no other account has verified the address. The caller has locked the address. */
async function isFree({ id, email }: Sender): Promise<boolean> {
  const other = await Sender.live()
    .where({ email })
    .whereNot({ id })
    .whereNotNull('verifiedAt')
    .first()
  return other === null
}

async function saveVerifiedSender(sender: Sender, verifiedBy: 'link' | 'domain'): Promise<void> {
  const { id, accountId, email } = sender
  const wasThere = Boolean(sender.secretKey)
  const { secret } = await callMailService('makeSender', { id, accountId, email })
  sender.merge({
    status: 'verified',
    verifiedBy,
    verifiedAt: DateTime.utc(),
    secretKey: secret,
    tokenDigest: null,
    tokenExpiresAt: null,
  })
  const account = await Account.findOrFail(accountId)
  // The service creates senders as active. Sets the state if the service already had the sender, or if
  // another state applies, for example because the account is suspended.
  if (wasThere || senderServiceState(sender, account.status) !== 'active')
    await syncSenderState(sender)
}

/**
 * Ends the verification of all senders that the domain verified. A link, or the domain once it is
 * active again, can verify them again.
 */
export async function unverifySendersOfDomain(
  { accountId, domain }: Pick<MailDomain, 'accountId' | 'domain'>,
  by: Requester
): Promise<void> {
  const verified = () =>
    Sender.live().where({ accountId, verifiedBy: 'domain' }).whereNotNull('verifiedAt')
  for (const { id, email } of await verified().whereRaw(IS_AT_DOMAIN, [domain])) {
    await withSenderLock(email, async (lock) => {
      const sender = await verified().where({ id }).first()
      if (!sender) return
      sender.merge({ verifiedAt: null, verifiedBy: null })
      if (sender.status === 'verified') sender.status = 'pending'
      await saveSender(lock, sender, 'sender.lapse', by, { domain })
      // If the mail service does not respond, the schedule `mail.sync` pauses the address later.
      await syncSenderState(sender)
    })
  }
}

export async function verifyPendingSendersOfDomain(
  { accountId, domain }: Pick<MailDomain, 'accountId' | 'domain'>,
  by: Requester
): Promise<void> {
  const pending = () => Sender.query().where({ accountId, status: 'pending' })
  for (const { id, email } of await pending().whereRaw(IS_AT_DOMAIN, [domain])) {
    await withSenderLock(email, async (lock) => {
      const sender = await pending().where({ id }).first()
      if (sender && (await tryVerifySenderByDomain(sender)))
        await saveSender(lock, sender, 'sender.verify', by, { by: 'domain' })
    })
  }
}
