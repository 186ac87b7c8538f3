import {
  approveBillPayment,
  rejectBillPayment,
} from '#billing/actions/approve_or_reject_bill_payment'
import { sendBillMailOnRequest } from '#billing/actions/send_bill_mails'
import { creditBill, writeOffBill } from '#billing/actions/credit_or_write_off_bill'
import type Bill from '#billing/models/bill'
import {
  adminBillListDefinition,
  billsVisibleTo,
  getBill,
  findNextBillIdToReview,
} from '#billing/queries/bills'
import {
  listCreditNotes,
  loadBillMailStates,
  loadChargesAndPayments,
} from '#billing/queries/bill_details'
import { loadTransferMatches } from '#billing/queries/statements'
import { enterPayment } from '#billing/actions/enter_payment'
import { findReceivedDifference } from '#billing/statements/received_transfers'
import { transitionPermission } from '#billing/states/bill'
import { billMailTypes, billStatuses } from '#billing/statuses'
import { adminBillRow, billDetails } from '#billing/transformers/bill'
import {
  billMailValidator,
  billReductionValidator,
  enteredPaymentValidator,
  paymentApprovalValidator,
  paymentRejectionValidator,
} from '#billing/validators/bills'
import { loadCustomersById } from '#accounts/public'
import { requesterOf } from '#core/contracts/actor'
import { respond } from '#core/action_response'
import { queryListPage, parseListRequest } from '#core/list_page'
import { renderPage } from '#core/render_page'
import { loadDollarRate } from '#core/settings/dollar_rate'
import type { HttpContext } from '@adonisjs/core/http'

/**
 * Serves Berth's own bills to staff. All staff can read them; administrators approve or reject
 * payments.
 */
export default class AdminBillsController {
  async index(ctx: HttpContext) {
    const list = parseListRequest(ctx, adminBillListDefinition)
    const page = await queryListPage<Bill>(billsVisibleTo(ctx.actor), list, adminBillListDefinition)
    const { rows, ...facts } = page
    const [today, customers] = await Promise.all([
      loadDollarRate(),
      loadCustomersById(rows.map(({ accountId }) => accountId!)),
    ])
    return renderPage(ctx, 'admin/billing/list', {
      ...facts,
      bills: rows.map((bill) => adminBillRow(bill, today, customers.get(bill.accountId!))),
      paymentStatus: billStatuses,
    })
  }

  async show(ctx: HttpContext) {
    const bill = await getBill(ctx.actor, ctx.params.id)
    const [today, customers, emails, next, credits, { charges, payments }] = await Promise.all([
      loadDollarRate(),
      loadCustomersById([bill.accountId!]),
      loadBillMailStates(bill),
      findNextBillIdToReview(bill),
      listCreditNotes(bill),
      loadChargesAndPayments(bill),
    ])
    return renderPage(ctx, 'admin/billing/details', {
      bill: adminBillRow(bill, today, customers.get(bill.accountId!)),
      ...billDetails(bill, charges, payments, today),
      statements: await loadTransferMatches(payments.map(({ trxId }) => trxId)),
      credits: credits.map(({ number, note }) => ({ number, note })),
      paymentStatus: billStatuses,
      emails,
      next,
      difference: await findReceivedDifference(bill.id),
      canReduce: transitionPermission(bill, 'write_off'),
      canCredit: transitionPermission(bill, 'credit'),
      canEnterPayment: transitionPermission(bill, 'pay'),
    })
  }

  async approve(ctx: HttpContext) {
    const bill = await getRequestedBill(ctx)
    const { sum } = await paymentApprovalValidator.validate(ctx.request.body())
    const { label } = await approveBillPayment(bill, requesterOf(ctx), { approvedTaka: sum })
    respond(ctx, { message: `The payment of ${label} is approved.` })
  }

  async reject(ctx: HttpContext) {
    const bill = await getRequestedBill(ctx)
    const { note } = await paymentRejectionValidator.validate(ctx.request.body())
    const { label } = await rejectBillPayment(bill, note || null, requesterOf(ctx))
    respond(ctx, { message: `The payment of ${label} is rejected.` })
  }

  async sendEmail(ctx: HttpContext) {
    const bill = await getRequestedBill(ctx)
    const { mail_type: type, again = false } = await billMailValidator.validate(ctx.request.body())
    await sendBillMailOnRequest(bill, type, again, requesterOf(ctx))
    respond(ctx, { message: `Email “${billMailTypes[type]}” sent.` })
  }

  /** `amount` is in the currency that customers pay in. */
  async enterPayment(ctx: HttpContext) {
    const bill = await getRequestedBill(ctx)
    const sent = await enteredPaymentValidator.validate(ctx.request.body())
    const { method, amount: taka, date: paidOn, reference, note } = sent
    const payment = { method, taka, paidOn, reference, note: note || null }
    const { label, status } = await enterPayment(bill, payment, requesterOf(ctx))
    const rest = status === 'success' ? '' : ' The remainder stays due.'
    respond(ctx, { message: `Payment of ${label} entered.${rest}`, status: 201 })
  }

  /** `amount` is in dollars. Default: all that is due, or all that was paid. */
  async credit(ctx: HttpContext) {
    const bill = await getRequestedBill(ctx)
    const { amount = null, note } = await billReductionValidator.validate(ctx.request.body())
    const { label } = await creditBill(bill, { amount, note }, requesterOf(ctx))
    respond(ctx, { message: `Credit note for ${label} issued.`, status: 201 })
  }

  async writeOff(ctx: HttpContext) {
    const bill = await getRequestedBill(ctx)
    const { amount = null, note } = await billReductionValidator.validate(ctx.request.body())
    const { label } = await writeOffBill(bill, { amount, note }, requesterOf(ctx))
    respond(ctx, { message: `${label} is written off.` })
  }
}

const getRequestedBill = (ctx: HttpContext) => getBill(ctx.actor, ctx.request.input('id'))
