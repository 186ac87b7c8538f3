import { gatewayUrl } from '#config/services'
import { releaseVersion } from '#packages/telemetry/release_version'
import type { Actor } from '#core/contracts/actor'
import { siteAreaOf } from '#core/request_kind'
import { loadMenuBadges } from '#core/menu_badges'
import { currentEventCursor, NOT_LISTENING_CURSOR } from '#core/live/live_events'
import { menuFor } from '#core/menu'
import { loadDollarRate } from '#core/settings/dollar_rate'
import { ensureRegionalSettings } from '#core/settings/load_regional_settings'
import { currencyName, regionalSettings } from '#core/settings/regional_settings'
import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'
import BaseInertiaMiddleware from '@adonisjs/inertia/inertia_middleware'
import { coreDependencies } from '#core/core_dependencies'

const LOCATION_HEADER = 'x-inertia-location'

/** Event cursor at the start of each request. The data of the rendered page is at least as new as this cursor. */
const eventCursors = new WeakMap<HttpContext, string>()

/**
 * Returns the page prop `user`. Moves the account's default instance into it as
 * `default_instance_id`, the specified name (docs/conformance.md, C3.1).
 */
function userOf({ account, ...actor }: Actor) {
  if (!account) return { ...actor, account }
  const { defaultInstanceId, ...rest } = account
  return { ...actor, account: rest, default_instance_id: defaultInstanceId }
}

function regionProp() {
  const { currency, symbol, digits, timeZone } = regionalSettings()
  return { currency, name: currencyName(), symbol, digits, timeZone }
}

export default class InertiaMiddleware extends BaseInertiaMiddleware {
  async share(ctx: HttpContext) {
    await ensureRegionalSettings()
    const { actorIfSignedIn: actor } = ctx
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
      // Included in every response, so that open pages update amounts together with their currency.
      dollarRate: ctx.inertia.always(await loadDollarRate()),
      region: ctx.inertia.always(regionProp()),
      gatewayUrl,
      live: actor ? eventCursors.get(ctx) : '',
      version: releaseVersion,
    }
  }

  async handle(ctx: HttpContext, next: NextFn) {
    eventCursors.set(ctx, currentEventCursor() || NOT_LISTENING_CURSOR)
    await this.init(ctx)
    const output = await next()
    this.dispose(ctx)
    // The framework decodes the URL for this header. Decoded characters may be invalid in a header and would crash
    // the process.
    if (ctx.response.getHeader(LOCATION_HEADER) === ctx.request.url(true)) {
      ctx.response.header(LOCATION_HEADER, ctx.request.request.url ?? '/')
    }
    return output
  }
}
