import { respond } from '#core/action_response'
import { signOut } from '#identity/actions/sign_in_and_out'
import { audienceOf, auditSessionEvent, loginPath } from '#identity/controllers/sign_in_helpers'
import type { HttpContext } from '@adonisjs/core/http'

/** Signs a person out by POST. The specification also has a GET request, which must come from our own pages. */
export default class LogoutController {
  async handle(ctx: HttpContext) {
    const audience = audienceOf(ctx)
    const { actorIfSignedIn: actor } = ctx
    if (actor) {
      await signOut(ctx)
      await auditSessionEvent(ctx, 'person.sign_out', actor)
    }
    respond(ctx, { message: 'You are signed out.', to: loginPath(audience), anew: true })
  }
}
