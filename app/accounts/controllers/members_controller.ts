import { requesterOf } from '#core/contracts/actor'
import { respond } from '#core/action_response'
import { renderPage } from '#core/render_page'
import {
  changeMemberRole,
  inviteMember,
  removeMember,
  renameAccount,
  withdrawInvitation,
} from '#accounts/actions/members'
import { loadMembersPage } from '#accounts/queries/members'
import {
  accountNameValidator,
  invitationIdValidator,
  memberInvitationValidator,
  memberRoleValidator,
  memberIdValidator,
} from '#accounts/validators/accounts'
import { assertAbility } from '#identity/public'
import limiter from '@adonisjs/limiter/services/main'
import { tooManyRequests } from '#core/app_error'
import type { HttpContext } from '@adonisjs/core/http'

const page = '/profile/members'

/** Limits how many emails an account can send to strangers. */
const MAX_INVITATIONS_PER_HOUR = 30

/**
 * Every member can read the page, and leave the account unless they are its last owner. Only owners can invite,
 * change and remove members.
 */
export default class MembersController {
  async index(ctx: HttpContext) {
    return renderPage(ctx, 'customer/members', await loadMembersPage(ctx.actor))
  }

  async store(ctx: HttpContext) {
    const form = await ctx.request.validateUsing(memberInvitationValidator)
    const limit = limiter.use({ requests: MAX_INVITATIONS_PER_HOUR, duration: 3_600 })
    const key = `invitations:${ctx.actor.account?.id}`
    if (!(await limit.attempt(key, () => true))) throw tooManyRequests(await limit.availableIn(key))
    const { id, email } = await inviteMember(form, requesterOf(ctx))
    respond(ctx, {
      message: `Invitation sent to ${email}.`,
      status: 201,
      data: { id },
      to: page,
    })
  }

  async withdraw(ctx: HttpContext) {
    const { id } = await ctx.request.validateUsing(invitationIdValidator)
    const { email } = await withdrawInvitation(id, requesterOf(ctx))
    respond(ctx, { message: `Invitation to ${email} revoked.`, to: page })
  }

  async update(ctx: HttpContext) {
    const { id, role } = await ctx.request.validateUsing(memberRoleValidator)
    const person = await changeMemberRole(id, role, requesterOf(ctx))
    respond(ctx, { message: `${person.name} now has the role ${role}.`, to: page })
  }

  async destroy(ctx: HttpContext) {
    const { id } = await ctx.request.validateUsing(memberIdValidator)
    const leaving = id === ctx.actor.id
    if (!leaving) assertAbility(ctx.actor, 'members.manage')
    const person = await removeMember(id, requesterOf(ctx))
    respond(ctx, {
      message: leaving ? 'You have left the account.' : `${person.name} is no longer a member.`,
      to: leaving ? '/' : page,
      anew: leaving,
    })
  }

  async rename(ctx: HttpContext) {
    const { name } = await ctx.request.validateUsing(accountNameValidator)
    await renameAccount(name, requesterOf(ctx))
    respond(ctx, { message: `Account renamed to ${name}.`, to: page })
  }
}
