import { listMemberEmails } from '#accounts/public'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/** Who gets the mails about each account's bills: the addresses of its owners and billing members. */
export function listBillingEmails(accountIds: number[], trx?: TransactionClientContract) {
  return listMemberEmails(accountIds, ['owner', 'billing'], trx)
}
