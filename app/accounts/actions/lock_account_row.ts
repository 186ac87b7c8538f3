import { notFound } from '#core/app_error'
import Account from '#accounts/models/account'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/**
 * Locks the account's row until the transaction ends. Changes of the account, its memberships and roles lock it
 * first. Code that adds instances, vaults, mail senders or mail domains also does, so that their limits hold.
 * @throws 404 if the account does not exist
 */
export async function lockAccountRow(id: number, trx: TransactionClientContract): Promise<Account> {
  const account = await Account.query({ client: trx }).where('id', id).forUpdate().first()
  if (!account) throw notFound('account')
  return account
}
