import { listMemberEmails } from '#accounts/public'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/** Mails go to owners and billing members of each account. */
export function listBillingEmails(accountIds: number[], trx?: TransactionClientContract) {
  return listMemberEmails(accountIds, ['owner', 'billing'], trx)
}
