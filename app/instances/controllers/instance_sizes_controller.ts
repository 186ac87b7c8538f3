import { assertTypedName } from '#core/typed_name'
import { demandOfStaff } from '#identity/public'
import { resizeInstance } from '#instances/actions/change_instance'
import { answerWork } from '#instances/controllers/work_answer'
import { findInstance } from '#instances/queries/instances'
import { resizeValidator } from '#instances/validators/instances'
import type { HttpContext } from '@adonisjs/core/http'

/** `POST /admin/server-instance/resize { id, name, server_package_id, package_version? }`. */
export default class InstanceSizesController {
  async store(ctx: HttpContext) {
    const actor = ctx.actor!
    demandOfStaff(actor, 'instances.change')
    const instance = await findInstance(actor, ctx.request.input('id'))
    const wanted = await ctx.request.validateUsing(resizeValidator)
    assertTypedName(instance, ctx.request.input('name'))
    const size = { serverPackageId: wanted.server_package_id, seen: wanted.package_version }
    const operation = await resizeInstance(actor, instance.id, size, ctx.request.ip())
    answerWork(ctx, operation, `${instance.name} is being resized.`)
  }
}
