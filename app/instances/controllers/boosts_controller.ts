import { respond } from '#core/action_response'
import { boostInstance } from '#instances/actions/boost_instance'
import { getInstance } from '#instances/queries/instances'
import { computeBoostTimers } from '#instances/states/instance'
import type { HttpContext } from '@adonisjs/core/http'

export default class BoostsController {
  async show(ctx: HttpContext) {
    const instance = await getInstance(ctx.actor, ctx.request.input('server_instance_id'))
    ctx.response.json({ success: true, message: '', data: { ...computeBoostTimers(instance) } })
  }

  async store(ctx: HttpContext) {
    const actor = ctx.actor
    const instance = await getInstance(actor, ctx.request.input('server_instance_id'))
    const timers = await boostInstance(actor, instance.id, ctx.request.ip())
    respond(ctx, { message: `Build Mode is on for ${instance.name}.`, data: { ...timers } })
  }
}
