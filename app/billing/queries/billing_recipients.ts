import { listMemberEmails } from '#accounts/public'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

export function listBillingRecipients(accountIds: number[], trx?: TransactionClientContract) {
  return listMemberEmails(accountIds, ['owner', 'billing'], trx)
}
