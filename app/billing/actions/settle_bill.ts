import { giveAccountCredit } from '#billing/actions/account_credit'
import { postLedgerTransfer } from '#billing/actions/ledger'
import { sendBillMailOnce } from '#billing/actions/send_bill_mails'
import { closeBillIfSettled, type Requester } from '#billing/actions/with_locked_bill'
import { runBillDecidedHooks } from '#billing/decision_hooks'
import type Bill from '#billing/models/bill'
import type BillPayment from '#billing/models/bill_payment'
import { sumAmounts } from '#core/money'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import Big from 'big.js'

/**
 * Records approved payments in the bill and the ledger, emails the payers, and runs the hooks of
 * `onBillDecided`. The caller saves the bill and then calls `resumeAccountIfPaid`.
 * @param excess amount beyond what was due, in the bill's currency; becomes account credit if the bill has an account
 */
export async function settleBill(
  bill: Bill,
  payments: BillPayment[],
  excess: string,
  by: Requester,
  trx: TransactionClientContract
): Promise<void> {
  for (const { id, amount } of payments) {
    await postLedgerTransfer(bill, 'paid', { amount, paymentId: id, actorId: by.actor?.id }, trx)
  }
  bill.paid = sumAmounts([bill.paid, ...payments.map(({ amount }) => amount)])
  if (new Big(excess).gt(0)) {
    await giveAccountCredit(
      bill,
      {
        amount: excess,
        kind: 'overpaid',
        source: `overpaid:${payments[0].id}`,
        reason: `Overpaid on ${bill.label}`,
        note: bill.trxId,
        actorId: by.actor?.id,
      },
      trx
    )
  }
  bill.status = 'pending'
  closeBillIfSettled(bill)
  await sendBillMailOnce(bill, 'payment_approved', `payment_approved:${bill.attempts}`, trx)
  await runBillDecidedHooks({ bill, decision: 'approved', payments }, trx)
}
