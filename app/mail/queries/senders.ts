import { Account, type AccountResourceRow } from '#accounts/public'
import { accountIdOf, type AccountStatus, type Actor } from '#core/contracts/actor'
import { parseRecordId } from '#core/record_id'
import { notFound } from '#core/app_error'
import MailDomain from '#mail/models/mail_domain'
import Sender from '#mail/models/sender'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

const numberOf = (id: unknown) => {
  const key = parseRecordId(id)
  return key !== null && key < 2 ** 31 ? key : null
}

export function sendersVisibleTo(actor: Actor) {
  return reachable(Sender.query(), actor)
}

/** @throws 404 if the sender does not exist or is deleted, or if the actor may not see it */
export async function getSender(actor: Actor, id: unknown): Promise<Sender> {
  const key = numberOf(id)
  const sender = key && (await reachable(Sender.live(), actor).where('id', key).first())
  if (!sender) throw notFound('address')
  return sender
}

function reachable(senders: ReturnType<typeof Sender.live>, actor: Actor) {
  return actor.audience === 'staff'
    ? senders
    : senders.where('mail_senders.account_id', accountIdOf(actor))
}

export function mailDomainsVisibleTo(actor: Actor) {
  return MailDomain.query().where('mail_domains.account_id', accountIdOf(actor))
}

/** @throws 404 if the domain does not exist, is deleted or belongs to another account */
export async function getMailDomain(actor: Actor, id: unknown): Promise<MailDomain> {
  const key = numberOf(id)
  const accountId = accountIdOf(actor)
  const mailDomain = key && (await MailDomain.live().where({ id: key, accountId }).first())
  if (!mailDomain) throw notFound('domain')
  return mailDomain
}

export async function countSendersOfAccount(
  accountId: number,
  trx?: TransactionClientContract
): Promise<number> {
  const [row] = await Sender.live({ client: trx }).where({ accountId }).count('* as total')
  return Number(row.$extras.total)
}

export async function countMailDomainsOfAccount(
  accountId: number,
  trx?: TransactionClientContract
): Promise<number> {
  const [row] = await MailDomain.live({ client: trx }).where({ accountId }).count('* as total')
  return Number(row.$extras.total)
}

export async function listSendersOfAccount(accountId: number): Promise<AccountResourceRow[]> {
  const rows = await Sender.live().where({ accountId }).orderBy('id', 'desc')
  return rows.map(({ id, email, status }) => ({
    id,
    name: email,
    status,
    href: `/admin/email/${id}`,
  }))
}

export async function loadAccountStatusesOfSenders(
  senders: Sender[]
): Promise<Map<number, AccountStatus>> {
  const ids = [...new Set(senders.map(({ accountId }) => accountId))]
  const rows = ids.length ? await Account.query().whereIn('id', ids) : []
  return new Map(rows.map(({ id, status }) => [id, status]))
}
