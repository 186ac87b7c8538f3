import { accountMembers } from '#accounts/public'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/** Who gets the mails about an account's bills: its owners and billing members. */
export function payersOf(accountId: number, trx?: TransactionClientContract) {
  return accountMembers(accountId, ['owner', 'billing'], trx)
}
