import type { CustomerSummary } from '#core/contracts/customer_summary'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/**
 * SQL for the email address of an account's first owner. Without an owner: that of the person who created the
 * account.
 */
export const OWNER_EMAIL_SQL = `coalesce(
  (select people.email from members join people on people.id = members.person_id
   where members.account_id = accounts.id and members.role = 'owner'
   order by members.created_at, members.person_id limit 1),
  (select people.email from people where people.id = accounts.id))`

export async function loadCustomersById(
  ids: number[],
  trx?: TransactionClientContract
): Promise<Map<number, CustomerSummary>> {
  if (ids.length === 0) return new Map()
  const rows: CustomerSummary[] = await (trx ?? db)
    .from('accounts')
    .whereIn('id', [...new Set(ids)])
    .select('id', 'name', db.raw(`${OWNER_EMAIL_SQL} as email`))
  return new Map(rows.map((row) => [row.id, row]))
}
