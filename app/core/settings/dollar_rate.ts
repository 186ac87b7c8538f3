import { billingTimeZone } from '#core/settings/regional_settings'
import Big from 'big.js'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/**
 * Returns today's price of one US dollar in taka (the currency of the regional settings) as an exact decimal.
 * Returns `0` without a rate.
 * @param trx required within a transaction: if many transactions each waited for a second connection, none would be
 * left
 */
export async function loadDollarRate(trx?: TransactionClientContract): Promise<string> {
  const row = await (trx ?? db)
    .from('dollar_rates')
    // Today in the billing time zone, instead of the database server's date.
    .where('effective_from', '<=', db.raw('(now() at time zone ?)::date', [billingTimeZone()]))
    .orderBy('effective_from', 'desc')
    .select('rate')
    .first()
  return row?.rate ?? '0'
}

/** Without a rate, every amount would be 0, so nothing may be sold or billed. */
export async function hasDollarRate(trx?: TransactionClientContract): Promise<boolean> {
  return new Big(await loadDollarRate(trx)).gt(0)
}
