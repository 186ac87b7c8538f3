import {
  type Lines,
  LINE_COLUMNS,
  lateLines,
  periodLines,
  unusedLines,
  usageLines,
} from '#billing/queries/lines'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { DateTime } from 'luxon'

/** What is not charged yet of these. */
function fresh({ sql, bindings }: Lines): Lines {
  const known = 'select 1 from bill_charges where bill_charges.source = lines.source'
  return { sql: `select * from (${sql}) lines where not exists (${known})`, bindings }
}

/** Writes down what is to be charged, each once, whoever else does the same; the next bills take it up. */
async function keep(lines: Lines, trx?: TransactionClientContract): Promise<number> {
  const { sql, bindings } = fresh(lines)
  const { rowCount } = await (trx ?? db).rawQuery(
    `insert into bill_charges (${LINE_COLUMNS}) select ${LINE_COLUMNS} from (${sql}) fresh
     on conflict (source) do nothing`,
    bindings
  )
  return rowCount
}

/** Since when things are charged: what ran before billing was there is nobody's debt. */
export async function chargedFrom(trx?: TransactionClientContract): Promise<string> {
  const row = await (trx ?? db)
    .from('settings')
    .where('key', 'billing_from')
    .select('value')
    .first()
  return String(row?.value ?? '2000-01-01T00:00:00Z')
}

/** Charges every period of what is sold by time that has begun, and gives back what ended early. */
export async function chargePeriods(
  from: DateTime,
  until: DateTime,
  trx?: TransactionClientContract
): Promise<void> {
  await keep(periodLines(from, until), trx)
  await keep(unusedLines(from, until), trx)
}

/** Charges what was used in a month that is over, and told of it since it was charged. */
export async function chargeUsage(month: string, trx?: TransactionClientContract): Promise<void> {
  await keep(usageLines(month), trx)
}

/** Charges what was told of months before this one when they were over. */
export async function chargeLate(
  from: DateTime,
  month: string,
  trx?: TransactionClientContract
): Promise<void> {
  await keep(lateLines(from, month), trx)
}

/** What a month of use would come to that is not charged yet, by account; the same lines as are charged. */
export async function previewUsage(month: string): Promise<{ accountId: number; cost: string }[]> {
  const { sql, bindings } = fresh(usageLines(month))
  const { rows } = await db.rawQuery(
    `select account_id, sum(cost) as cost from (${sql}) fresh group by account_id order by account_id`,
    bindings
  )
  return rows.map((row: { account_id: number; cost: string }) => ({
    accountId: Number(row.account_id),
    cost: row.cost,
  }))
}
