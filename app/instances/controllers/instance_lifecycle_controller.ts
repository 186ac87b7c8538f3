import { assertNameConfirmed } from '#core/name_confirmation'
import { assertAbilityIfStaff } from '#identity/public'
import { deleteInstance, retryProvisioning } from '#instances/actions/instance_lifecycle'
import { respondWithOperation } from '#instances/controllers/respond_with_operation'
import { getInstance } from '#instances/queries/instances'
import type { HttpContext } from '@adonisjs/core/http'

export default class InstanceLifecycleController {
  async destroy(ctx: HttpContext) {
    const actor = ctx.actor
    const instance = await getInstance(actor, ctx.request.input('id'))
    assertAbilityIfStaff(actor, 'instances.change')
    assertNameConfirmed(instance, ctx.request.body().name)
    const operation = await deleteInstance(actor, instance.id, ctx.request.ip())
    respondWithOperation(ctx, operation, `${instance.name} is being deleted.`)
  }

  async retry(ctx: HttpContext) {
    const actor = ctx.actor
    const instance = await getInstance(actor, ctx.request.input('id'))
    assertAbilityIfStaff(actor, 'instances.change')
    const operation = await retryProvisioning(actor, instance.id, ctx.request.ip())
    respondWithOperation(ctx, operation, `${instance.name} is being created again.`)
  }
}
