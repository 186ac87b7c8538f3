import type Bill from '#billing/models/bill'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/** Accounts of the books between which each kind of transfer goes: out of `credit`, into `debit`. */
export const ledgerTransferAccounts = {
  billed: { debit: 'receivable', credit: 'income' },
  paid: { debit: 'cash', credit: 'receivable' },
  credited: { debit: 'credit_notes', credit: 'receivable' },
  written_off: { debit: 'write_offs', credit: 'receivable' },
  refunded: { debit: 'income', credit: 'cash' },
} as const

/** Those about a bill; a refund is one of an account. */
export type TransferKind = Exclude<keyof typeof ledgerTransferAccounts, 'refunded'>

interface PostedTransfer {
  /** In the bill's currency, above 0. */
  amount: string
  paymentId?: number
  /** Of a credit note. */
  number?: string
  note?: string | null
  actorId?: number | null
}

/**
 * Writes a transfer into the books. Each goes from one account to another, so that whatever is written
 * balances; nobody changes one (decision 0030).
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
 * Takes numbers of a series without gaps: its row is held until the transaction ends, and with it the
 * numbers come or go.
 * @returns the first of them
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

/** `B-2026-000001` */
export function formatSeriesNumber(series: string, number: number): string {
  return `${series}-${String(number).padStart(6, '0')}`
}
