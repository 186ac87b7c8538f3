import { loadCustomersById } from '#accounts/public'
import { respond } from '#core/action_response'
import { conflict } from '#core/app_error'
import { audit } from '#core/audit/audit'
import { parseListRequest, queryListPage } from '#core/list_page'
import { renderPage } from '#core/render_page'
import { siteAreaOf } from '#core/request_kind'
import { saveAndApplyGreeting } from '#greetings/actions/apply_greeting'
import Greeting from '#greetings/models/greeting'
import { getGreeting, greetingList, greetingsVisibleTo } from '#greetings/queries/greetings'
import {
  changedGreetingValidator,
  greetingIdValidator,
  newGreetingValidator,
} from '#greetings/validators/greeting'
import { loadUsableInstance, instancesVisibleTo } from '#instances/public'
import type { HttpContext } from '@adonisjs/core/http'

/** Greetings for both areas. Customers change their own, staff see all. */
export default class GreetingsController {
  async index(ctx: HttpContext) {
    const actor = ctx.actor
    const query = greetingsVisibleTo(actor).preload('instance')
    const request = parseListRequest(ctx, greetingList)
    const { rows, ...facts } = await queryListPage<Greeting>(query, request, greetingList)
    const isStaff = actor.audience === 'staff'
    const accountIds = isStaff ? rows.map(({ accountId }) => accountId) : []
    const customers = await loadCustomersById(accountIds)
    const instances = isStaff ? [] : await instancesVisibleTo(actor).where('status', 'active')
    return renderPage(ctx, `${siteAreaOf(ctx.request.url())}/greeting/list`, {
      ...facts,
      rows: rows.map(({ id, text, status, accountId, instance }) => ({
        id,
        text,
        status,
        instance: instance.name,
        customer: customers.get(accountId) ?? null,
      })),
      statuses: greetingList.statuses,
      instances: instances.map(({ id, name }) => ({ id, name })),
    })
  }

  async store(ctx: HttpContext) {
    const { text, ...request } = await ctx.request.validateUsing(newGreetingValidator)
    const instance = await loadUsableInstance(ctx.actor, request.server_instance_id)
    const { accountId, id: serverInstanceId } = instance
    if (await Greeting.findBy({ serverInstanceId })) {
      throw conflict('This server instance has a greeting already.')
    }
    const greeting = new Greeting().merge({ accountId, serverInstanceId, text, status: 'writing' })
    await apply(ctx, 'greeting.store', greeting, 'Greeting added.')
  }

  async update(ctx: HttpContext) {
    const { id, text } = await ctx.request.validateUsing(changedGreetingValidator)
    const greeting = await loadChangeableGreeting(ctx, id)
    await apply(ctx, 'greeting.update', greeting.merge({ text, status: 'writing' }), 'Saved.')
  }

  async destroy(ctx: HttpContext) {
    const { id } = await ctx.request.validateUsing(greetingIdValidator)
    const greeting = await loadChangeableGreeting(ctx, id)
    await apply(ctx, 'greeting.delete', greeting.merge({ status: 'deleting' }), 'Deleting…')
  }
}

/**
 * Loads a greeting that can be changed.
 * @throws AppError 404, or 409 if the instance does not run or the greeting is being deleted
 */
async function loadChangeableGreeting(ctx: HttpContext, id: number): Promise<Greeting> {
  const greeting = await getGreeting(ctx.actor, id)
  await loadUsableInstance(ctx.actor, greeting.serverInstanceId)
  if (greeting.status === 'deleting') throw conflict('This greeting is being deleted.')
  return greeting
}

async function apply(ctx: HttpContext, action: string, greeting: Greeting, message: string) {
  const { id: operationId } = await saveAndApplyGreeting(greeting)
  const { id, accountId, text } = greeting
  const subject = { type: 'greeting' as const, id, label: text.slice(0, 40) }
  await audit({ actor: ctx.actor, accountId, action, subject, ip: ctx.request.ip() })
  respond(ctx, { message, data: { id, operation_id: operationId }, status: 202 })
}
