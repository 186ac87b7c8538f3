import { notFound } from '#core/app_error'
import Account from '#accounts/models/account'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/**
 * Locks the account until the transaction ends, so that counts of its resources are exact.
 * @throws 404 if it does not exist
 */
export async function lockAccountRow(id: number, trx: TransactionClientContract): Promise<Account> {
  const account = await Account.query({ client: trx }).where('id', id).forUpdate().first()
  if (!account) throw notFound('account')
  return account
}
