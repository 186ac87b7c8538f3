import { notFound } from '#core/app_error'
import Account from '#accounts/models/account'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/**
 * Locks the account's row until the transaction ends. Changes of the account, its members and the number of its
 * resources lock it first.
 * @throws 404 if the account does not exist
 */
export async function lockAccountRow(id: number, trx: TransactionClientContract): Promise<Account> {
  const account = await Account.query({ client: trx }).where('id', id).forUpdate().first()
  if (!account) throw notFound('account')
  return account
}
