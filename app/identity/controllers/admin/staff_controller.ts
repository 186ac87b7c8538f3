import { requesterOf } from '#core/contracts/actor'
import { renderPage } from '#core/render_page'
import { respond } from '#core/action_response'
import { parseListRequest } from '#core/list_page'
import { changeStaff, inviteAgain, inviteStaff, setStaffDisabled } from '#identity/actions/staff'
import { listStaff, staffListDefinition } from '#identity/queries/staff_list'
import {
  staffInvitationValidator,
  staffUpdateValidator,
  staffIdValidator,
} from '#identity/validators/staff'
import type { HttpContext } from '@adonisjs/core/http'

const page = '/admin/staff/list'

export default class StaffController {
  async index(ctx: HttpContext) {
    const list = await listStaff(parseListRequest(ctx, staffListDefinition), ctx.actor)
    return renderPage(ctx, 'admin/staff/list', list)
  }

  async store(ctx: HttpContext) {
    const form = await ctx.request.validateUsing(staffInvitationValidator)
    const person = await inviteStaff(form, requesterOf(ctx))
    const message = `Invitation sent to ${person.email}.`
    respond(ctx, { message, status: 201, data: { id: person.id }, to: page })
  }

  async update(ctx: HttpContext) {
    const { id, ...form } = await ctx.request.validateUsing(staffUpdateValidator)
    const person = await changeStaff(id, form, requesterOf(ctx))
    respond(ctx, { message: `${person.name} saved.`, to: page })
  }

  async disable(ctx: HttpContext) {
    const { id } = await ctx.request.validateUsing(staffIdValidator)
    const person = await setStaffDisabled(id, true, requesterOf(ctx))
    respond(ctx, { message: `${person.name} is disabled and signed out.`, to: page })
  }

  async enable(ctx: HttpContext) {
    const { id } = await ctx.request.validateUsing(staffIdValidator)
    const person = await setStaffDisabled(id, false, requesterOf(ctx))
    respond(ctx, { message: `${person.name} can sign in again.`, to: page })
  }

  async inviteAgain(ctx: HttpContext) {
    const { id } = await ctx.request.validateUsing(staffIdValidator)
    const person = await inviteAgain(id, requesterOf(ctx))
    respond(ctx, { message: `Invitation sent to ${person.email}.`, to: page })
  }
}
