import { isAnswering } from '#instances/is_answering'
import { getInstance } from '#instances/queries/instances'
import type { HttpContext } from '@adonisjs/core/http'

export default class InstanceReachabilityController {
  async show(ctx: HttpContext) {
    const instance = await getInstance(ctx.actor, ctx.params.id)
    const answers = instance.status === 'active' && (await isAnswering(instance))
    ctx.response.json({ success: true, message: '', data: { answers } })
  }
}
