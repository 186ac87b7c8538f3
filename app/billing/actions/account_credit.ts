import { postLedgerTransfer } from '#billing/actions/ledger'
import type Bill from '#billing/models/bill'
import { conflict } from '#core/app_error'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import Big from 'big.js'

interface NewCredit {
  /** In the bill's currency. */
  amount: string
  kind: 'overpaid' | 'returned'
  /** Unique, so that no credit is given twice. */
  source: string
  /** The line on the bill that uses the credit. */
  reason: string
  number?: string
  note: string | null
  actorId?: number
}

/**
 * Gives credit to the bill's account (decision 0082). A negative charge is the credit: the next bill
 * uses it. Bills of partners have no account, so for them only the ledger changes.
 */
export async function giveAccountCredit(
  bill: Bill,
  { amount, kind, source, reason, number, note, actorId }: NewCredit,
  trx: TransactionClientContract
): Promise<void> {
  await postLedgerTransfer(bill, kind, { amount, number, note, actorId }, trx)
  if (bill.accountId === null) return
  if (bill.currency !== 'USD') throw conflict('Credit of accounts is in dollars.')
  const cost = new Big(amount).neg().toFixed()
  await trx.insertQuery().table('bill_charges').insert({
    account_id: bill.accountId,
    source,
    type: 'account',
    name: 'Credit',
    bill_type: reason,
    billing_period: bill.label,
    quantity: 1,
    unit_price: cost,
    cost,
  })
}
