import type Bill from '#billing/models/bill'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/** Money moves from `credit` to `debit`. */
export const ledgerTransferAccounts = {
  billed: { debit: 'receivable', credit: 'income' },
  paid: { debit: 'cash', credit: 'receivable' },
  credited: { debit: 'credit_notes', credit: 'receivable' },
  written_off: { debit: 'write_offs', credit: 'receivable' },
  refunded: { debit: 'income', credit: 'cash' },
  // Counts as income now, because the later bill that uses the credit brings less income.
  overpaid: { debit: 'cash', credit: 'income' },
  returned: { debit: 'credit_notes', credit: 'income' },
} as const

export type TransferKind = Exclude<keyof typeof ledgerTransferAccounts, 'refunded'>

interface PostedTransfer {
  amount: string
  paymentId?: number
  number?: string
  note?: string | null
  actorId?: number | null
}

/**
 * Debits one ledger account and credits another, so the ledger always balances. Transfers never
 * change (decision 0030).
 */
export async function postLedgerTransfer(
  { id, currency }: Pick<Bill, 'id' | 'currency'>,
  kind: TransferKind,
  { amount, paymentId, number, note, actorId }: PostedTransfer,
  trx: TransactionClientContract
): Promise<void> {
  await trx
    .insertQuery()
    .table('ledger_transfers')
    .insert({
      bill_id: id,
      kind,
      ...ledgerTransferAccounts[kind],
      currency,
      amount,
      payment_id: paymentId ?? null,
      number: number ?? null,
      note: note ?? null,
      actor_id: actorId ?? null,
    })
}

/**
 * Reserves numbers without gaps: the series is locked until the transaction ends, and a rollback returns
 * the numbers.
 * @returns the first number
 */
export async function reserveSeriesNumbers(
  series: string,
  count: number,
  trx: TransactionClientContract
): Promise<number> {
  const { rows } = await trx.rawQuery(
    `insert into bill_numbers (series, last) values (?, ?)
     on conflict (series) do update set last = bill_numbers.last + excluded.last returning last`,
    [series, count]
  )
  return Number(rows[0].last) - count + 1
}

/** Returns `B-2026-000001`. */
export function formatSeriesNumber(series: string, number: number): string {
  return `${series}-${String(number).padStart(6, '0')}`
}
