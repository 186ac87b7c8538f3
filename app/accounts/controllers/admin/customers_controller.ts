import { requesterOf } from '#core/contracts/actor'
import { respond } from '#core/action_response'
import { parseListRequest } from '#core/list_page'
import { renderPage } from '#core/render_page'
import {
  resumeAccount,
  signOutMembers,
  suspendAccount,
  addNote,
} from '#accounts/actions/suspend_and_resume'
import {
  listCustomers,
  customerListDefinition,
  loadCustomerPage,
  getCustomer,
} from '#accounts/queries/customers'
import { accountNoteValidator, accountSuspensionValidator } from '#accounts/validators/accounts'
import type { HttpContext } from '@adonisjs/core/http'

export default class CustomersController {
  async index(ctx: HttpContext) {
    const list = await listCustomers(parseListRequest(ctx, customerListDefinition))
    return renderPage(ctx, 'admin/customer/list', list)
  }

  async show(ctx: HttpContext) {
    const account = await getCustomer(ctx.params.id)
    return renderPage(ctx, 'admin/customer/details', await loadCustomerPage(account))
  }

  async suspend(ctx: HttpContext) {
    const { id } = await getCustomer(ctx.request.input('id'))
    const { reason } = await ctx.request.validateUsing(accountSuspensionValidator)
    const account = await suspendAccount(id, reason, requesterOf(ctx))
    respond(ctx, { message: `${account.name} is suspended.` })
  }

  async resume(ctx: HttpContext) {
    const { id } = await getCustomer(ctx.request.input('id'))
    const account = await resumeAccount(id, requesterOf(ctx))
    respond(ctx, { message: `${account.name} is active again.` })
  }

  async signOut(ctx: HttpContext) {
    const { id } = await getCustomer(ctx.request.input('id'))
    const account = await signOutMembers(id, requesterOf(ctx))
    respond(ctx, { message: `All members of ${account.name} are signed out.` })
  }

  async note(ctx: HttpContext) {
    const { id } = await getCustomer(ctx.request.input('id'))
    const { text } = await ctx.request.validateUsing(accountNoteValidator)
    await addNote(id, text, requesterOf(ctx))
    respond(ctx, { message: 'Note saved.', status: 201 })
  }
}
