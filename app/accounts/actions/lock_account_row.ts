import { notFound } from '#core/app_error'
import Account from '#accounts/models/account'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/** The account, with its row locked until the transaction ends: what counts its things counts exactly. */
export async function lockAccountRow(id: number, trx: TransactionClientContract): Promise<Account> {
  const account = await Account.query({ client: trx }).where('id', id).forUpdate().first()
  if (!account) throw notFound('account')
  return account
}
