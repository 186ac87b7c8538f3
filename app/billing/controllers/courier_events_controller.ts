import { courierAddress, setCourierAddress } from '#billing/courier/address'
import { courierEvents, eventList } from '#billing/courier/event_list'
import { tellAgain } from '#billing/courier/events'
import { SECRET_OVERLAP_HOURS, rotateSecret, secretFacts } from '#billing/courier/secrets'
import { eventStates } from '#billing/statuses'
import { courierAddressForm, courierEventForm, courierSecretForm } from '#billing/validators/bills'
import { answer } from '#core/answers'
import { listRequest } from '#core/list_page'
import { renderPage } from '#core/page'
import type { HttpContext } from '@adonisjs/core/http'

/** What Auto Courier is told, where, and with which secret. */
export default class CourierEventsController {
  async index(ctx: HttpContext) {
    return renderPage(ctx, 'admin/autocourier_billing/events', {
      ...(await courierEvents(listRequest(ctx, eventList))),
      ...{ eventStates, url: await courierAddress(), secret: await secretFacts() },
      overlapHours: SECRET_OVERLAP_HOURS,
    })
  }

  /** `{ id }` */
  async sendAgain(ctx: HttpContext) {
    const { id } = await courierEventForm.validate(ctx.request.body())
    await tellAgain(id, by(ctx))
    answer(ctx, { message: 'Sent again.' })
  }

  /** `{ at_once? }`: the only time that the secret is told. */
  async secret(ctx: HttpContext) {
    const { at_once: atOnce } = await courierSecretForm.validate(ctx.request.body())
    const secret = await rotateSecret(by(ctx), atOnce)
    ctx.response.header('cache-control', 'no-store')
    answer(ctx, { message: 'Secret created.', data: { secret } })
  }

  /** `{ url }`, null for nowhere. */
  async address(ctx: HttpContext) {
    const { url } = await courierAddressForm.validate(ctx.request.body())
    await setCourierAddress(url, by(ctx))
    answer(ctx, { message: 'Address saved.' })
  }
}

const by = ({ actor, request }: HttpContext) => ({ actor: actor!, ip: request.ip() })
