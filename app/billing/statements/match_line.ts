import { reportBillPayment } from '#billing/actions/report_bill_payment'
import { type Requester, withLockedBill } from '#billing/actions/with_locked_bill'
import { transactionUsed } from '#billing/errors'
import type Bill from '#billing/models/bill'
import BillPayment from '#billing/models/bill_payment'
import { billDollarRate, payableInTaka } from '#billing/payable_amounts'
import { findBillByName } from '#billing/queries/find_bill_by_name'
import { assertCanTransition } from '#billing/states/bill'
import { sameAmount } from '#core/money'
import { conflict, notFound } from '#core/app_error'
import { loadDollarRate } from '#core/settings/dollar_rate'
import { translateUniqueKeys } from '#core/unique_keys'
import Big from 'big.js'
import db from '@adonisjs/lucid/services/db'

interface Line {
  trx_id: string
  amount: string
  account: string | null
  own: string
}

/**
 * Matches a transfer that no customer reported with a bill. Staff then approve it like a reported
 * payment. If the bill has a payment under review, that payment gets the transfer's transaction ID.
 * @param billName see `findBillByName`
 * @throws 404 for an unknown line; 422 for an unknown or ambiguous bill; 409 if the transfer was reversed or belongs
 *   to a bill, if the bill is not payable, or if not exactly one of its payments can be this transfer
 */
export async function matchStatementLine(
  lineId: number,
  billName: string,
  by: Requester
): Promise<Bill> {
  const line: Line | null = await db.from('statement_claims').where({ id: lineId }).first()
  if (!line) throw notFound('line')
  if (line.own !== 'unclaimed' && line.own !== 'rejected')
    throw conflict('This transfer was reversed, or already belongs to a bill.')
  const bill = await findBillByName(billName)
  if (bill.status === 'processing') return correctTransactionId(bill, line, by)
  assertCanTransition(bill, 'pay')
  const { currency, due, amount, dollarRate, issued } = bill
  const sum = { currency, due, amount, dollarRate, issued }
  const payable = payableInTaka(sum, billDollarRate(sum, await loadDollarRate()))
  const taka = new Big(line.amount).lt(payable) ? line.amount : null
  return reportBillPayment(
    bill,
    {
      accountNumber: line.account ?? 'Not on the statement',
      reference: null,
      parts: [{ trxId: line.trx_id, taka }],
      isFromStatement: true,
    },
    by
  )
}

function correctTransactionId(bill: Pick<Bill, 'id'>, line: Line, by: Requester): Promise<Bill> {
  return withLockedBill(bill, 'bill.match', by, async (locked, trx) => {
    assertCanTransition(locked, 'approve')
    const payments = await BillPayment.query({ client: trx })
      .where({ billId: locked.id, status: 'claimed' })
      .whereNotExists((found) =>
        found
          .from('statement_lines')
          .whereColumn('statement_lines.trx_id', 'bill_payments.trx_id')
          .select('id')
      )
    const equal = payments.filter(({ taka }) => sameAmount(taka, line.amount))
    const [payment, ...others] = equal.length ? equal : payments
    if (!payment || others.length) {
      throw conflict(
        'This bill has another payment awaiting approval, which does not match this line. Reject that payment first.'
      )
    }
    const before = payment.trxId
    payment.merge({ trxId: line.trx_id, reportedTrxId: payment.reportedTrxId ?? before })
    const taken = { bill_payments_trx: () => transactionUsed('bill') }
    await translateUniqueKeys(taken, () => payment.save())
    const ids = locked.trxId?.split(', ') ?? []
    locked.trxId = ids.map((id) => (id === before ? line.trx_id : id)).join(', ')
    return locked
  })
}
