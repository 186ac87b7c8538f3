import type { BillFamily } from '#billing/bill_families'
import { isOneEditApart } from '#billing/statements/one_edit_apart'
import db from '@adonisjs/lucid/services/db'

/**
 * A statement line that nobody reported, and a reported payment that is on no statement but looks
 * like the same transfer.
 */
export interface SimilarTransfer {
  line_id: number
  statement_id: number
  trx_id: string
  reported_trx_id: string
  bill_id: number
  number: string | null
  external_id: string | null
  family: BillFamily
}

const ACCOUNT_FITS_SQL = `regexp_replace(regexp_replace(p.account_number, '\\D', '', 'g'),
  '^88(\\?=01)', '') like l.account_like`

/**
 * Finds pairs with the same amount whose transaction IDs differ by one typing mistake. The payment's account number
 * must fit the pattern of the statement line.
 */
export async function findSimilarTransfers(of: {
  lineIds?: number[]
  reportedIds?: string[]
}): Promise<SimilarTransfer[]> {
  const { lineIds = [], reportedIds = [] } = of
  if (lineIds.length === 0 && reportedIds.length === 0) return []
  const { rows } = await db.rawQuery(
    `select l.id as line_id, l.statement_id, l.trx_id, p.trx_id as reported_trx_id,
       p.bill_id, b.number, b.external_id, b.family
     from bill_payments p join bills b on b.id = p.bill_id
     join statement_lines l on l.amount = p.taka and ${ACCOUNT_FITS_SQL}
     where p.status = 'claimed' and (l.id = any(?) or p.trx_id = any(?))
       and not exists (select 1 from statement_lines x where x.trx_id = p.trx_id)
       and not exists (select 1 from bill_payments x
         where x.trx_id = l.trx_id and x.status <> 'rejected')
     order by p.id, l.id limit 2000`,
    [lineIds, reportedIds]
  )
  return (rows as SimilarTransfer[]).filter((row) =>
    isOneEditApart(row.trx_id, row.reported_trx_id)
  )
}
