import { approveBill, rejectBill } from '#billing/actions/decide_bill'
import type Bill from '#billing/models/bill'
import { billsOf, courierBillList, findBill, nextWaiting } from '#billing/queries/bills'
import { billStatuses } from '#billing/statuses'
import { onStatements } from '#billing/queries/statements'
import { courierBillRow } from '#billing/transformers/bill'
import { rejectForm } from '#billing/validators/bills'
import { answer } from '#core/answers'
import { listPage, listRequest } from '#core/list_page'
import { renderPage } from '#core/page'
import type { HttpContext } from '@adonisjs/core/http'

/** Auto Courier's bills, in taka: read by all staff, decided by administrators. */
export default class CourierBillsController {
  async index(ctx: HttpContext) {
    const asked = listRequest(ctx, courierBillList)
    const bills = billsOf(ctx.actor!, 'autocourier')
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
      next: await nextWaiting(bill),
      statements: await onStatements(bill.trxId?.split(', ') ?? []),
    })
  }

  /** `{ id }` */
  async approve(ctx: HttpContext) {
    const { label } = await approveBill(await named(ctx), by(ctx))
    answer(ctx, { message: `The payment of ${label} is approved.` })
  }

  /** `{ id, note }` */
  async reject(ctx: HttpContext) {
    const bill = await named(ctx)
    const { note } = await rejectForm.validate(ctx.request.body())
    const { label } = await rejectBill(bill, note || null, by(ctx))
    answer(ctx, { message: `The payment of ${label} is rejected.` })
  }
}

const named = (ctx: HttpContext) => findBill(ctx.actor!, ctx.request.input('id'), 'autocourier')

const by = ({ actor, request }: HttpContext) => ({ actor: actor!, ip: request.ip() })
