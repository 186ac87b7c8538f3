import { memberEmails } from '#accounts/public'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/** Who gets the mails about each account's bills: the addresses of its owners and billing members. */
export function payersOf(accountIds: number[], trx?: TransactionClientContract) {
  return memberEmails(accountIds, ['owner', 'billing'], trx)
}
