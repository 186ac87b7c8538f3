import { courierBillListDefinition } from '#auto_courier/queries/bills'
import { courierBillRow } from '#auto_courier/transformers/bill'
import {
  type Bill,
  billStatuses,
  billsVisibleTo,
  findNextBillIdToReview,
  getBill,
  loadTransferMatches,
  findReceivedDifference,
  paymentApprovalValidator,
  paymentRejectionValidator,
} from '#billing/public'
import { approveBillPayment, rejectBillPayment } from '#billing/public_effects'
import { requesterOf } from '#core/contracts/actor'
import { respond } from '#core/action_response'
import { queryListPage, parseListRequest } from '#core/list_page'
import { renderPage } from '#core/render_page'
import type { HttpContext } from '@adonisjs/core/http'

export default class BillsController {
  async index(ctx: HttpContext) {
    const list = parseListRequest(ctx, courierBillListDefinition)
    const bills = billsVisibleTo(ctx.actor, 'autocourier')
    const { rows, ...facts } = await queryListPage<Bill>(bills, list, courierBillListDefinition)
    return renderPage(ctx, 'admin/autocourier_billing/list', {
      ...facts,
      bills: rows.map(courierBillRow),
      paymentStatus: billStatuses,
    })
  }

  async show(ctx: HttpContext) {
    const bill = await getBill(ctx.actor, ctx.params.id, 'autocourier')
    return renderPage(ctx, 'admin/autocourier_billing/details', {
      bill: courierBillRow(bill),
      paymentStatus: billStatuses,
      next: await findNextBillIdToReview(bill),
      difference: await findReceivedDifference(bill.id),
      statements: await loadTransferMatches(bill.trxId?.split(', ') ?? []),
    })
  }

  async approve(ctx: HttpContext) {
    const bill = await named(ctx)
    const { sum } = await paymentApprovalValidator.validate(ctx.request.body())
    const { label } = await approveBillPayment(bill, requesterOf(ctx), { approvedTaka: sum })
    respond(ctx, { message: `The payment of ${label} is approved.` })
  }

  async reject(ctx: HttpContext) {
    const bill = await named(ctx)
    const { note } = await paymentRejectionValidator.validate(ctx.request.body())
    const { label } = await rejectBillPayment(bill, note || null, requesterOf(ctx))
    respond(ctx, { message: `The payment of ${label} is rejected.` })
  }
}

const named = (ctx: HttpContext) => getBill(ctx.actor, ctx.request.input('id'), 'autocourier')
