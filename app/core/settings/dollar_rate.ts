import db from '@adonisjs/lucid/services/db'

/**
 * Taka for one US dollar today, as an exact decimal (product, "Money": the rate has a history,
 * each entry counting from its date).
 */
export async function dollarRate(): Promise<string> {
  const row = await db
    .from('dollar_rates')
    .where('effective_from', '<=', db.raw('current_date'))
    .orderBy('effective_from', 'desc')
    .select('rate')
    .first()
  return row?.rate ?? '0'
}
