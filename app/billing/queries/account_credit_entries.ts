import type { CreditEntryRow } from '#billing/transformers/page_props'
import db from '@adonisjs/lucid/services/db'
import Big from 'big.js'

const MAX_ENTRIES_SHOWN = 20

export async function listAccountCreditEntries(accountId: number): Promise<CreditEntryRow[]> {
  const rows = await db
    .from('bill_charges as c')
    .leftJoin('bills as b', 'b.id', 'c.bill_id')
    .where('c.account_id', accountId)
    .where((credit) => credit.where('c.cost', '<', 0).orWhere('c.type', 'account'))
    .orderBy('c.id', 'desc')
    .limit(MAX_ENTRIES_SHOWN)
    .select('c.id', 'c.name', 'c.bill_type', 'c.cost', 'c.created_at', 'c.bill_id', 'b.number')
  return rows.map((row) => ({
    id: row.id,
    at: row.created_at.toISOString(),
    reason: row.name === 'Credit' ? row.bill_type : `${row.name}: ${row.bill_type}`,
    amount: new Big(row.cost).neg().toFixed(),
    used_on: row.bill_id === null ? null : { id: row.bill_id, number: row.number },
  }))
}
