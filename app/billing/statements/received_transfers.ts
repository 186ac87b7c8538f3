import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import Big from 'big.js'

/** Reported and received amounts of a bill's transfers that await approval. Taka, two decimals. */
export interface ReceivedTransfers {
  reported: string
  /**
   * Taka that arrived according to statements. A transfer on no statement counts with its reported
   * amount.
   */
  received: string
  /** Taka that arrived, by payment id. 0: the transfer failed or was reversed. */
  byPayment: Map<number, string>
}

export async function loadReceivedTransfers(
  billId: number,
  trx?: TransactionClientContract
): Promise<ReceivedTransfers> {
  const { rows } = await (trx ?? db).rawQuery(
    `select p.id, p.taka as reported,
       coalesce(l.amount, case when f.id is null then p.taka else 0 end) as received
     from bill_payments p
     left join lateral (select amount from statement_claims c
       where c.trx_id = p.trx_id and c.own <> 'reversed'
       order by amount = p.taka desc, c.id desc limit 1) l on true
     left join lateral (select id from statement_failed_lines
       where trx_id = p.trx_id limit 1) f on true
     where p.bill_id = ? and p.status = 'claimed' order by p.id`,
    [billId]
  )
  const lines = rows as { id: number; reported: string; received: string }[]
  const sum = (amounts: string[]) =>
    amounts.reduce((total, amount) => total.plus(amount), new Big(0)).toFixed(2)
  return {
    reported: sum(lines.map(({ reported }) => reported)),
    received: sum(lines.map(({ received }) => received)),
    byPayment: new Map(lines.map(({ id, received }) => [Number(id), received])),
  }
}

/**
 * Returns the reported amount and the one that arrived according to statements, or `null` if they
 * are equal.
 */
export async function findReceivedDifference(
  billId: number
): Promise<{ reported: string; received: string } | null> {
  const { reported, received } = await loadReceivedTransfers(billId)
  return reported === received ? null : { reported, received }
}
