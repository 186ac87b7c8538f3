import { respond } from '#core/action_response'
import { memberRoles, requesterOf } from '#core/contracts/actor'
import { renderPage } from '#core/render_page'
import {
  acceptInvitation,
  declineInvitation,
  getAcceptableInvitation,
} from '#accounts/actions/members'
import { invitationIdValidator } from '#accounts/validators/accounts'
import type { HttpContext } from '@adonisjs/core/http'

export default class InvitationsController {
  async show(ctx: HttpContext) {
    const invitation = await getAcceptableInvitation(ctx.params.id, ctx.actor)
    return renderPage(ctx, 'customer/invitation', {
      invitation: {
        id: invitation.id,
        account: invitation.account.name,
        inviter: invitation.inviter?.name ?? 'An owner',
        role: memberRoles[invitation.role],
      },
    })
  }

  async accept(ctx: HttpContext) {
    const { id } = await ctx.request.validateUsing(invitationIdValidator)
    const account = await acceptInvitation(id, requesterOf(ctx))
    ctx.session.put('account', account.id)
    respond(ctx, { message: `You are now a member of ${account.name}.`, to: '/', anew: true })
  }

  async decline(ctx: HttpContext) {
    const { id } = await ctx.request.validateUsing(invitationIdValidator)
    await declineInvitation(id, requesterOf(ctx))
    respond(ctx, { message: 'Invitation declined.', to: '/' })
  }
}
