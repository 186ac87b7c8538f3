import { assertTypedName } from '#core/typed_name'
import { demandOfStaff } from '#identity/public'
import { deleteInstance, retryProvisioning } from '#instances/actions/change_instance'
import { answerWork } from '#instances/controllers/work_answer'
import { findInstance } from '#instances/queries/instances'
import type { HttpContext } from '@adonisjs/core/http'

/** `POST …/server-instance/delete { id, name }` and `…/retry { id }`, in both areas. */
export default class InstanceLifetimeController {
  async destroy(ctx: HttpContext) {
    const actor = ctx.actor!
    const instance = await findInstance(actor, ctx.request.input('id'))
    demandOfStaff(actor, 'instances.change')
    assertTypedName(instance, ctx.request.input('name'))
    const operation = await deleteInstance(actor, instance.id, ctx.request.ip())
    answerWork(ctx, operation, `${instance.name} is being deleted.`)
  }

  async retry(ctx: HttpContext) {
    const actor = ctx.actor!
    const instance = await findInstance(actor, ctx.request.input('id'))
    demandOfStaff(actor, 'instances.change')
    const operation = await retryProvisioning(actor, instance.id, ctx.request.ip())
    answerWork(ctx, operation, `${instance.name} is being created again.`)
  }
}
