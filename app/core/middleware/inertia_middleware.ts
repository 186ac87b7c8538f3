import { gatewayUrl } from '#config/services'
import type { Actor } from '#core/contracts/actor'
import { siteAreaOf } from '#core/request_kind'
import { loadMenuBadges } from '#core/menu_badges'
import { currentEventCursor, NOT_LISTENING_CURSOR } from '#core/live/live_events'
import { menuFor } from '#core/menu'
import { loadDollarRate } from '#core/settings/dollar_rate'
import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'
import BaseInertiaMiddleware from '@adonisjs/inertia/inertia_middleware'
import { coreDependencies } from '#core/core_dependencies'

const LOCATION_HEADER = 'x-inertia-location'

/** How far it was listened when a request began: what its page shows is at least as new. */
const entityTags = new WeakMap<HttpContext, string>()

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
    const area = siteAreaOf(ctx.request.url())
    const notice = ctx.session?.flashMessages.get('notice', null)
    if (ctx.session?.flashMessages.has('clearHistory')) ctx.inertia.clearHistory()
    return {
      user: ctx.inertia.always(actor ? userOf(actor) : null),
      area,
      menu: actor ? menuFor(area) : [],
      errors: ctx.inertia.always(this.getValidationErrors(ctx)),
      notice: ctx.inertia.always(notice ? { ...notice, id: ctx.request.id() ?? '' } : null),
      unavailable: ctx.inertia.always(actor ? (coreDependencies.unavailableTo?.(actor) ?? {}) : {}),
      colorScheme: actor?.colorScheme ?? 'auto',
      badges: ctx.inertia.always(actor ? await loadMenuBadges(actor) : {}),
      dollarRate: await loadDollarRate(),
      gatewayUrl,
      live: actor ? entityTags.get(ctx) : '',
      version: '1.0.0',
    }
  }

  async handle(ctx: HttpContext, next: NextFn) {
    entityTags.set(ctx, currentEventCursor() || NOT_LISTENING_CURSOR)
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
