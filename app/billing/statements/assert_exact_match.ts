import { matchNotExact } from '#billing/errors'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/** Throws 409 unless every claimed transfer of the bill matches a statement exactly. */
export async function assertExactMatch(
  billId: number,
  trx: TransactionClientContract
): Promise<void> {
  const { rows } = await trx.rawQuery(
    `select 1 from bill_payments p where p.bill_id = ? and p.status = 'claimed'
       and not exists (select 1 from statement_claims c
         where c.trx_id = p.trx_id and c.payment_id = p.id and c.own = 'exact') limit 1`,
    [billId]
  )
  if (rows.length) throw matchNotExact()
}
