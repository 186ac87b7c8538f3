import { respondIdempotently, verifyCourierRequest } from '#auto_courier/signed_requests'
import {
  autoCourierPaymentValidator,
  autoCourierBillValidator,
} from '#auto_courier/validators/bills_and_payments'
import type { Bill } from '#billing/public'
import { reportExternalPayment, importExternalBill } from '#billing/public_effects'
import { respond } from '#core/action_response'
import { invalid } from '#core/app_error'
import type { HttpContext } from '@adonisjs/core/http'
import Big from 'big.js'

export default class SignedCallsController {
  async bill(ctx: HttpContext) {
    const call = await verifyCourierRequest(ctx)
    const { bill, user, amount } = await autoCourierBillValidator.validate(ctx.request.body())
    if (new Big(amount).lte(0)) throw invalid({ amount: 'The amount must be above 0.' })
    const courierBill = { externalId: bill, externalUser: user, amount }
    const data = await respondIdempotently(call, async () =>
      billResponse(await importExternalBill('autocourier', courierBill, by(ctx)))
    )
    respond(ctx, { message: 'Bill received.', data })
  }

  async payment(ctx: HttpContext) {
    const call = await verifyCourierRequest(ctx)
    const sent = await autoCourierPaymentValidator.validate(ctx.request.body())
    const payment = {
      externalId: sent.bill,
      accountNumber: sent.account_number,
      trxId: sent.trx_id,
      reference: sent.reference || null,
    }
    const data = await respondIdempotently(call, async () =>
      billResponse(await reportExternalPayment('autocourier', payment, by(ctx)))
    )
    respond(ctx, { message: 'The payment is being checked.', data })
  }
}

const by = ({ request }: HttpContext) => ({ actor: null, ip: request.ip() })

function billResponse({ externalId, status, amount, due }: Bill) {
  const [whole, left] = [amount, due].map((taka) => new Big(taka).toFixed(2))
  return { bill: externalId, status, amount: whole, due: left }
}
