import { reportBillPayment } from '#billing/actions/report_bill_payment'
import type Bill from '#billing/models/bill'
import { billFeePercent, payableInTaka } from '#billing/payable_amounts'
import { billListDefinition, billsVisibleTo, getBill } from '#billing/queries/bills'
import { listCreditNotes, loadChargesAndPayments } from '#billing/queries/bill_details'
import { loadMonthToDate } from '#billing/queries/month_to_date'
import { listAccountCreditEntries } from '#billing/queries/account_credit_entries'
import { loadAccountCreditBalance } from '#billing/queries/account_credit_balance'
import { loadBillingSettings } from '#billing/settings'
import { transitionPermission } from '#billing/states/bill'
import { billStatuses } from '#billing/statuses'
import { billDetails, billRow } from '#billing/transformers/bill'
import { paymentClaimValidator } from '#billing/validators/bills'
import { respond } from '#core/action_response'
import { accountIdOf, requesterOf } from '#core/contracts/actor'
import { queryListPage, parseListRequest } from '#core/list_page'
import { renderPage } from '#core/render_page'
import { loadDollarRate } from '#core/settings/dollar_rate'
import type { HttpContext } from '@adonisjs/core/http'
import { DateTime } from 'luxon'

export default class BillsController {
  async index(ctx: HttpContext) {
    const bills = billsVisibleTo(ctx.actor)
    const { rows, ...facts } = await queryListPage<Bill>(
      bills,
      parseListRequest(ctx, billListDefinition),
      billListDefinition
    )
    const today = await loadDollarRate()
    return renderPage(ctx, 'customer/billing/list', {
      ...facts,
      bills: rows.map((bill) => billRow(bill, today)),
      paymentStatus: billStatuses,
      soFar: await loadMonthToDate(accountIdOf(ctx.actor), DateTime.utc()),
      creditEntries: await listAccountCreditEntries(accountIdOf(ctx.actor)),
      credit: await loadAccountCreditBalance(accountIdOf(ctx.actor)),
    })
  }

  async show(ctx: HttpContext) {
    const bill = await getBill(ctx.actor, ctx.params.id)
    const [today, settings, credits, { charges, payments }] = await Promise.all([
      loadDollarRate(),
      loadBillingSettings(),
      listCreditNotes(bill),
      loadChargesAndPayments(bill),
    ])
    // Hides payments that staff matched by mistake, because they are transfers of another customer.
    const own = payments.filter((one) => !(one.fromStatement && one.status === 'rejected'))
    const details = billDetails(bill, charges, own, today)
    const { currency, due, amount, dollarRate: frozen, issued } = bill
    const sum = { currency, due, amount, dollarRate: frozen, issued }
    return renderPage(ctx, 'customer/billing/details', {
      bill: billRow(bill, today),
      ...details,
      credits: credits.map(({ number, note }) => ({ number, note })),
      paymentStatus: billStatuses,
      canPay: transitionPermission(bill, 'pay'),
      totalPayable: payableInTaka(sum, details.rate),
      feePercent: billFeePercent(bill),
      merchantAccount: settings.merchantAccount,
    })
  }

  /** `parts` replaces `trx_id` and `amount` if there are several transfers. */
  async pay(ctx: HttpContext) {
    const bill = await getBill(ctx.actor, ctx.request.input('id'))
    const sent = await paymentClaimValidator.validate(ctx.request.body())
    const parts = sent.parts?.map(({ trx_id: trxId, amount }) => ({ trxId, taka: amount }))
    const single = [{ trxId: sent.trx_id!, taka: sent.amount ?? null }]
    const claim = { accountNumber: sent.account_number, reference: sent.reference ?? null }
    const by = requesterOf(ctx)
    await reportBillPayment(bill, { ...claim, parts: parts ?? single }, by)
    respond(ctx, {
      message: 'Thank you. We are checking your payment and will email you the result.',
    })
  }
}
