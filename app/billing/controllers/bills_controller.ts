import { payBill } from '#billing/actions/pay_bill'
import type Bill from '#billing/models/bill'
import { payable } from '#billing/payable'
import { billList, billsOf, findBill } from '#billing/queries/bills'
import { creditNotes, partsAndCharges } from '#billing/queries/details'
import { monthSoFar } from '#billing/queries/so_far'
import { creditOf } from '#billing/queries/credit'
import { billingSettings } from '#billing/settings'
import { canMove } from '#billing/states/bill'
import { billStatuses } from '#billing/statuses'
import { billDetails, billRow } from '#billing/transformers/bill'
import { payForm } from '#billing/validators/bills'
import { answer } from '#core/answers'
import { accountIdOf } from '#core/contracts/actor'
import { listPage, listRequest } from '#core/list_page'
import { renderPage } from '#core/page'
import { dollarRate } from '#core/settings/dollar_rate'
import type { HttpContext } from '@adonisjs/core/http'
import { DateTime } from 'luxon'

/** A customer's bills (product, "Money"). */
export default class BillsController {
  async index(ctx: HttpContext) {
    const bills = billsOf(ctx.actor!)
    const { rows, ...facts } = await listPage<Bill>(bills, listRequest(ctx, billList), billList)
    const today = await dollarRate()
    return renderPage(ctx, 'customer/billing/list', {
      ...facts,
      bills: rows.map((bill) => billRow(bill, today)),
      paymentStatus: billStatuses,
      soFar: await monthSoFar(accountIdOf(ctx.actor!), DateTime.utc()),
      credit: await creditOf(accountIdOf(ctx.actor!)),
    })
  }

  async show(ctx: HttpContext) {
    const bill = await findBill(ctx.actor!, ctx.params.id)
    const [today, settings, credits, { charges, payments }] = await Promise.all([
      dollarRate(),
      billingSettings(),
      creditNotes(bill),
      partsAndCharges(bill),
    ])
    const details = billDetails(bill, charges, payments, today)
    const { currency, due, amount, dollarRate: frozen } = bill
    return renderPage(ctx, 'customer/billing/details', {
      bill: billRow(bill, today),
      ...details,
      credits: credits.map(({ number }) => number),
      paymentStatus: billStatuses,
      canPay: canMove(bill, 'pay'),
      totalPayable: payable({ currency, due, amount, dollarRate: frozen }, details.rate),
      merchantAccount: settings.merchantAccount,
    })
  }

  /** `{ id, account_number, reference, trx_id, amount? }`, or `parts` of them in place of the last two. */
  async pay(ctx: HttpContext) {
    const bill = await findBill(ctx.actor!, ctx.request.input('id'))
    const sent = await payForm.validate(ctx.request.body())
    const parts = sent.parts?.map(({ trx_id: trxId, amount }) => ({ trxId, taka: amount }))
    const single = [{ trxId: sent.trx_id!, taka: sent.amount ?? null }]
    const claim = { accountNumber: sent.account_number, reference: sent.reference ?? null }
    const by = { actor: ctx.actor!, ip: ctx.request.ip() }
    await payBill(bill, { ...claim, parts: parts ?? single }, by)
    answer(ctx, {
      message: 'Thank you. We are checking your payment and will email you the result.',
    })
  }
}
