import { takeInBill } from '#billing/actions/take_in_bill'
import { answeredOnce, readCourierCall } from '#billing/courier/calls'
import { takeInPayment } from '#billing/courier/payments'
import type Bill from '#billing/models/bill'
import { courierPaymentForm, intakeForm } from '#billing/validators/bills'
import { answer } from '#core/answers'
import { invalid } from '#core/refusal'
import type { HttpContext } from '@adonisjs/core/http'
import Big from 'big.js'

/** Auto Courier's own calls, signed with the shared secret (docs/guides/auto_courier.md). */
export default class CourierIntakeController {
  /** `{ bill, user, amount }` */
  async bill(ctx: HttpContext) {
    const call = await readCourierCall(ctx)
    const { bill, user, amount } = await intakeForm.validate(ctx.request.body())
    if (new Big(amount).lte(0)) throw invalid({ amount: 'The amount must be above 0.' })
    const told = { externalId: bill, externalUser: user, amount }
    const data = await answeredOnce(call, async () => facts(await takeInBill(told, by(ctx))))
    answer(ctx, { message: 'Bill received.', data })
  }

  /** `{ bill, account_number, trx_id, reference? }` */
  async payment(ctx: HttpContext) {
    const call = await readCourierCall(ctx)
    const sent = await courierPaymentForm.validate(ctx.request.body())
    const told = {
      ...{ externalId: sent.bill, accountNumber: sent.account_number, trxId: sent.trx_id },
      reference: sent.reference || null,
    }
    const data = await answeredOnce(call, async () => facts(await takeInPayment(told, by(ctx))))
    answer(ctx, { message: 'The payment is being checked.', data })
  }
}

const by = ({ request }: HttpContext) => ({ actor: null, ip: request.ip() })

function facts({ externalId, status, amount, due }: Bill) {
  const [whole, left] = [amount, due].map((taka) => new Big(taka).toFixed(2))
  return { bill: externalId, status, amount: whole, due: left }
}
