import { gatewayUrl } from '#config/services'
import type { Actor } from '#core/contracts/actor'
import { areaOf } from '#core/area'
import { badgesFor } from '#core/menu_badges'
import { livePosition, NOT_LISTENING_CURSOR } from '#core/live/live_events'
import { menuFor } from '#core/menu'
import { dollarRate } from '#core/settings/dollar_rate'
import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'
import BaseInertiaMiddleware from '@adonisjs/inertia/inertia_middleware'
import { upperServices } from '#core/upper_services'

const LOCATION_HEADER = 'x-inertia-location'

/** How far it was listened when a request began: what its page shows is at least as new. */
const marks = new WeakMap<HttpContext, string>()

/** The person as pages know them; a customer with the default instance, by the specification's name. */
function userOf({ account, ...actor }: Actor) {
  if (!account) return { ...actor, account }
  const { defaultInstanceId, ...rest } = account
  return { ...actor, account: rest, default_instance_id: defaultInstanceId }
}

/** The props that every page gets (`inertia/types.ts` names them for the pages). */
export default class InertiaMiddleware extends BaseInertiaMiddleware {
  async share(ctx: HttpContext) {
    const { actor } = ctx
    const area = areaOf(ctx.request.url())
    const notice = ctx.session?.flashMessages.get('notice', null)
    if (ctx.session?.flashMessages.has('clearHistory')) ctx.inertia.clearHistory()
    return {
      user: ctx.inertia.always(actor ? userOf(actor) : null),
      area,
      menu: actor ? menuFor(area) : [],
      errors: ctx.inertia.always(this.getValidationErrors(ctx)),
      notice: ctx.inertia.always(notice ? { ...notice, id: ctx.request.id() ?? '' } : null),
      unavailable: ctx.inertia.always(actor ? (upperServices.unavailableTo?.(actor) ?? {}) : {}),
      colorScheme: actor?.colorScheme ?? 'auto',
      badges: ctx.inertia.always(actor ? await badgesFor(actor) : {}),
      dollarRate: await dollarRate(),
      gatewayUrl,
      live: actor ? marks.get(ctx) : '',
      version: '1.0.0',
    }
  }

  async handle(ctx: HttpContext, next: NextFn) {
    marks.set(ctx, livePosition() || NOT_LISTENING_CURSOR)
    await this.init(ctx)
    const output = await next()
    this.dispose(ctx)
    // As it was sent: the framework decodes it, and a character that no header can hold would end
    // the process.
    if (ctx.response.getHeader(LOCATION_HEADER) === ctx.request.url(true)) {
      ctx.response.header(LOCATION_HEADER, ctx.request.request.url ?? '/')
    }
    return output
  }
}
