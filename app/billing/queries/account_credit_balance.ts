import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/**
 * What was paid and not used beyond what was charged since: the next bill takes it up.
 * @returns dollars, exact; 0 where there is none
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
