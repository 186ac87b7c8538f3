import { assertNameConfirmed } from '#core/name_confirmation'
import { assertAbilityIfStaff } from '#identity/public'
import { resizeInstance } from '#instances/actions/instance_lifecycle'
import { respondWithOperation } from '#instances/controllers/respond_with_operation'
import { getInstance } from '#instances/queries/instances'
import { resizeValidator } from '#instances/validators/instances'
import type { HttpContext } from '@adonisjs/core/http'

export default class InstanceResizesController {
  async store(ctx: HttpContext) {
    const actor = ctx.actor
    assertAbilityIfStaff(actor, 'instances.change')
    const instance = await getInstance(actor, ctx.request.input('id'))
    const wanted = await ctx.request.validateUsing(resizeValidator)
    assertNameConfirmed(instance, ctx.request.body().name)
    const size = { serverPackageId: wanted.server_package_id, seen: wanted.package_version }
    const operation = await resizeInstance(actor, instance.id, size, ctx.request.ip())
    respondWithOperation(ctx, operation, `${instance.name} is being resized.`)
  }
}
