import { assertNameConfirmed } from '#core/name_confirmation'
import { assertAbilityIfStaff } from '#identity/public'
import { resumeInstance, suspendInstance } from '#instances/actions/instance_lifecycle'
import { respondWithOperation } from '#instances/controllers/respond_with_operation'
import { getInstance } from '#instances/queries/instances'
import { suspensionValidator } from '#instances/validators/instances'
import type { HttpContext } from '@adonisjs/core/http'

export default class InstanceSuspensionsController {
  async store(ctx: HttpContext) {
    const actor = ctx.actor
    assertAbilityIfStaff(actor, 'instances.change')
    const instance = await getInstance(actor, ctx.request.input('id'))
    const { reason } = await ctx.request.validateUsing(suspensionValidator)
    assertNameConfirmed(instance, ctx.request.body().name)
    const operation = await suspendInstance(actor, instance.id, reason, ctx.request.ip())
    respondWithOperation(ctx, operation, `${instance.name} is suspended.`)
  }

  async destroy(ctx: HttpContext) {
    const actor = ctx.actor
    assertAbilityIfStaff(actor, 'instances.change')
    const instance = await getInstance(actor, ctx.request.input('id'))
    assertNameConfirmed(instance, ctx.request.body().name)
    const operation = await resumeInstance(actor, instance.id, ctx.request.ip())
    respondWithOperation(ctx, operation, `${instance.name} is being resumed.`)
  }
}
