import { BUSINESS_TIME_ZONE } from '#core/business_time_zone'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/**
 * Taka for one US dollar today, as an exact decimal (product, "Money": the rate has a history,
 * each entry counting from its date).
 * @param trx whoever is in one asks within it: many who wait for one row would leave no other connection
 */
export async function loadDollarRate(trx?: TransactionClientContract): Promise<string> {
  const row = await (trx ?? db)
    .from('dollar_rates')
    // The day of the business, not of the database's clock.
    .where('effective_from', '<=', db.raw('(now() at time zone ?)::date', [BUSINESS_TIME_ZONE]))
    .orderBy('effective_from', 'desc')
    .select('rate')
    .first()
  return row?.rate ?? '0'
}
