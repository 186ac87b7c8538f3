import { approveBill, rejectBill } from '#billing/actions/decide_bill'
import type Bill from '#billing/models/bill'
import { billsVisibleTo, courierBillList, findBill, findNextWaiting } from '#billing/queries/bills'
import { billStatuses } from '#billing/statuses'
import { loadStatementMatches } from '#billing/queries/statements'
import { courierBillRow } from '#billing/transformers/bill'
import { rejectForm } from '#billing/validators/bills'
import { respond } from '#core/action_response'
import { listPage, listRequest } from '#core/list_page'
import { renderPage } from '#core/render_page'
import type { HttpContext } from '@adonisjs/core/http'

/** Auto Courier's bills, in taka: read by all staff, decided by administrators. */
export default class CourierBillsController {
  async index(ctx: HttpContext) {
    const asked = listRequest(ctx, courierBillList)
    const bills = billsVisibleTo(ctx.actor!, 'autocourier')
    const { rows, ...facts } = await listPage<Bill>(bills, asked, courierBillList)
    return renderPage(ctx, 'admin/autocourier_billing/list', {
      ...facts,
      bills: rows.map(courierBillRow),
      paymentStatus: billStatuses,
    })
  }

  async show(ctx: HttpContext) {
    const bill = await findBill(ctx.actor!, ctx.params.id, 'autocourier')
    return renderPage(ctx, 'admin/autocourier_billing/details', {
      bill: courierBillRow(bill),
      paymentStatus: billStatuses,
      next: await findNextWaiting(bill),
      statements: await loadStatementMatches(bill.trxId?.split(', ') ?? []),
    })
  }

  /** `{ id }` */
  async approve(ctx: HttpContext) {
    const { label } = await approveBill(await named(ctx), by(ctx))
    respond(ctx, { message: `The payment of ${label} is approved.` })
  }

  /** `{ id, note }` */
  async reject(ctx: HttpContext) {
    const bill = await named(ctx)
    const { note } = await rejectForm.validate(ctx.request.body())
    const { label } = await rejectBill(bill, note || null, by(ctx))
    respond(ctx, { message: `The payment of ${label} is rejected.` })
  }
}

const named = (ctx: HttpContext) => findBill(ctx.actor!, ctx.request.input('id'), 'autocourier')

const by = ({ actor, request }: HttpContext) => ({ actor: actor!, ip: request.ip() })
