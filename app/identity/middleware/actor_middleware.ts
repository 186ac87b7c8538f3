import { siteAreaOf } from '#core/request_kind'
import { actorOf } from '#identity/actor'
import { recordDeviceSeen, findSignedInPerson } from '#identity/actions/sign_in_and_out'
import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

/** Sets `actorIfSignedIn` to the person who is signed in to the area of this URL. */
export default class ActorMiddleware {
  async handle(ctx: HttpContext, next: NextFn) {
    const audience = siteAreaOf(ctx.request.url()) === 'admin' ? 'staff' : 'customer'
    const guard = ctx.auth.use(audience)
    const id: unknown = ctx.session.get(guard.sessionKeyName)
    if (id) {
      const device: unknown = ctx.session.get('device')
      const accountId: unknown = ctx.session.get('account')
      const person = await findSignedInPerson(device, id)
      if (person && person.audience === audience && !person.disabledAt) {
        await recordDeviceSeen(person)
        ctx.actorIfSignedIn = await actorOf(
          person,
          typeof accountId === 'number' ? accountId : undefined
        )
        ctx.deviceId = device as string
        // Browsers must not store pages of signed-in people, not even for the Back button.
        ctx.response.header('cache-control', 'no-store')
      } else {
        await guard.logout()
        ctx.session.forget('device')
      }
    }
    return next()
  }
}
