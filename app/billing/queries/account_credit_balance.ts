import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/**
 * Returns the account's credit, which the next bill uses. It is the sum of credits that are on no
 * bill yet, minus the open charges.
 * @returns dollars, exact decimal; 0 without credit
 */
export async function loadAccountCreditBalance(
  accountId: number,
  trx?: TransactionClientContract
): Promise<string> {
  const row = await (trx ?? db)
    .from('bill_charges')
    .where('account_id', accountId)
    .whereNull('bill_id')
    .select(db.raw('greatest(-coalesce(sum(cost), 0), 0)::text as credit'))
    .first()
  return row.credit
}
