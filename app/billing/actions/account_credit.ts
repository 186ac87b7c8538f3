import { postLedgerTransfer } from '#billing/actions/ledger'
import type Bill from '#billing/models/bill'
import { conflict } from '#core/app_error'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import Big from 'big.js'

interface NewCredit {
  /** Amount in the bill's currency. */
  amount: string
  kind: 'overpaid' | 'returned'
  /** Unique key of the charge. A second call with the same source fails. */
  source: string
  /** Text that the customer reads next to the credit, on the bill that uses it. */
  reason: string
  number?: string
  note: string | null
  actorId?: number
}

/**
 * Credits the bill's account with a negative charge, which reduces the next bill (decision 0082). A
 * partner's bill has no account, so only the ledger changes.
 * @throws 409 if the account's bill is not in US dollars
 */
export async function giveAccountCredit(
  bill: Bill,
  { amount, kind, source, reason, number, note, actorId }: NewCredit,
  trx: TransactionClientContract
): Promise<void> {
  await postLedgerTransfer(bill, kind, { amount, number, note, actorId }, trx)
  if (bill.accountId === null) return
  if (bill.currency !== 'USD')
    throw conflict('Account credit is kept in dollars, and this bill is in another currency.')
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
