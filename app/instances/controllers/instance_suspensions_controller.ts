import { assertTypedName } from '#core/typed_name'
import { demandOfStaff } from '#identity/public'
import { resumeInstance, suspendInstance } from '#instances/actions/change_instance'
import { answerWork } from '#instances/controllers/work_answer'
import { findInstance } from '#instances/queries/instances'
import { suspensionValidator } from '#instances/validators/instances'
import type { HttpContext } from '@adonisjs/core/http'

/** `POST /admin/server-instance/suspend { id, name, reason }` and `…/resume { id, name }`. */
export default class InstanceSuspensionsController {
  async store(ctx: HttpContext) {
    const actor = ctx.actor!
    demandOfStaff(actor, 'instances.change')
    const instance = await findInstance(actor, ctx.request.input('id'))
    const { reason } = await ctx.request.validateUsing(suspensionValidator)
    assertTypedName(instance, ctx.request.input('name'))
    const operation = await suspendInstance(actor, instance.id, reason, ctx.request.ip())
    answerWork(ctx, operation, `${instance.name} is suspended.`)
  }

  async destroy(ctx: HttpContext) {
    const actor = ctx.actor!
    demandOfStaff(actor, 'instances.change')
    const instance = await findInstance(actor, ctx.request.input('id'))
    assertTypedName(instance, ctx.request.input('name'))
    const operation = await resumeInstance(actor, instance.id, ctx.request.ip())
    answerWork(ctx, operation, `${instance.name} is being resumed.`)
  }
}
