import { respond } from '#core/action_response'
import { isPageVisit } from '#core/request_kind'
import { renderPage } from '#core/render_page'
import { findSenderByLink, verifySenderByLink } from '#mail/actions/verify_sender'
import { verificationTokenValidator } from '#mail/validators/mail'
import type { HttpContext } from '@adonisjs/core/http'

/**
 * Serves the verification link without sign-in, because anyone who reads the emails to the address
 * may confirm it. Opening the link verifies nothing, because mail scanners open links too. Only the
 * button on the page does.
 */
export default class VerificationController {
  async show(ctx: HttpContext) {
    const token = String(ctx.params.token)
    const sender = await findSenderByLink(token)
    ctx.response.header('cache-control', 'no-store')
    ctx.response.header('referrer-policy', 'no-referrer')
    return renderPage(ctx, 'email/verify', {
      asked: sender && { email: sender.sender.email, account: sender.account.name, token },
    })
  }

  async store(ctx: HttpContext) {
    const { token } = await verificationTokenValidator.validate(ctx.request.body())
    const { request, actorIfSignedIn: actor = null } = ctx
    const sender = await verifySenderByLink(token, { actor, ip: request.ip() })
    respond(ctx, {
      message: `${sender.email} is verified.`,
      to: isPageVisit(ctx) ? (actor ? '/email/list' : '/') : undefined,
    })
  }
}
