import { loadCustomersById } from '#accounts/public'
import {
  packageWithAvailabilityView,
  ServerPackage,
  findSubscription,
  subscriptionView,
} from '#catalog/public'
import { respond } from '#core/action_response'
import { renderPage } from '#core/render_page'
import { assertNameConfirmed } from '#core/name_confirmation'
import { assertAbilityIfStaff, checkStaffPermission } from '#identity/public'
import { updateInstance } from '#instances/actions/update_instance'
import { respondWithOperation } from '#instances/controllers/respond_with_operation'
import { instanceDomainProvider } from '#instances/instance_domain_provider'
import { instanceStatuses } from '#instances/models/server_instance'
import { findDeletion, loadInstanceHistory } from '#instances/queries/instance_history'
import { listInstances } from '#instances/queries/instance_list'
import {
  getInstance,
  getInstanceEvenIfDeleted,
  instanceOperationSubject,
  loadPendingOrFailedOperations,
} from '#instances/queries/instances'
import { hasCurrentPackageVersion, listResizeOffers } from '#instances/queries/order_options'
import { adminInstanceCard, adminInstanceView } from '#instances/transformers/instance'
import { adminUpdateDomainsValidator, adminUpdateValidator } from '#instances/validators/instances'
import type { HttpContext } from '@adonisjs/core/http'

export default class AdminServerInstancesController {
  async index(ctx: HttpContext) {
    const { rows, ...facts } = await listInstances(ctx, ctx.actor)
    const [customers, work] = await Promise.all([
      loadCustomersById(rows.map(({ accountId }) => accountId)),
      loadPendingOrFailedOperations(rows.map(({ id }) => id)),
    ])
    return renderPage(ctx, 'admin/server_instance/list', {
      ...facts,
      instances: rows.map((row) =>
        adminInstanceCard(row, customers.get(row.accountId)!, { operation: work.get(row.id) })
      ),
      instanceStatus: instanceStatuses,
    })
  }

  async show(ctx: HttpContext) {
    const actor = ctx.actor
    const instance = await getInstanceEvenIfDeleted(actor, ctx.params.id)
    const [customers, work, domains, packages, deletion, history, subscription] = await Promise.all(
      [
        loadCustomersById([instance.accountId]),
        loadPendingOrFailedOperations([instance.id]),
        instanceDomainProvider.viewsOf(instance),
        ServerPackage.query().where('instanceType', instance.instanceType).orderBy('position'),
        findDeletion(instance),
        loadInstanceHistory(instance),
        findSubscription(instanceOperationSubject(instance)),
      ]
    )
    const sizes = await listResizeOffers(
      instance,
      packages.filter((row) => row.offered || hasCurrentPackageVersion(instance, row))
    )
    return renderPage(ctx, 'admin/server_instance/details', {
      instance: adminInstanceView(instance, customers.get(instance.accountId)!, {
        operation: work.get(instance.id),
        domains,
        subscription: subscription && subscriptionView(subscription),
      }),
      deletion,
      history,
      instanceStatus: instanceStatuses,
      packages: sizes.map(packageWithAvailabilityView),
      mayManage: checkStaffPermission(actor, 'instances.change'),
    })
  }

  /**
   * Saves either of two forms: the one for domains, or the one for the package and other settings (docs/product.md,
   * "Machines").
   */
  async update(ctx: HttpContext) {
    const actor = ctx.actor
    const { request } = ctx
    assertAbilityIfStaff(actor, 'instances.change')
    const instance = await getInstance(actor, request.input('id'))
    // The page makes the person type the name for confirmation. Other clients may omit it.
    const typed = request.body().confirm_name
    if (typed !== undefined) assertNameConfirmed(instance, typed, 'confirm_name')
    if (request.input('domains') !== undefined) {
      const { domains } = await request.validateUsing(adminUpdateDomainsValidator)
      await instanceDomainProvider.save(actor, instance.id, domains, request.ip())
      return respond(ctx, { message: 'Domains saved.' })
    }
    const fields = await request.validateUsing(adminUpdateValidator)
    const operation = await updateInstance(actor, instance.id, fields, request.ip())
    if (!operation) return respond(ctx, { message: `${instance.name} saved.` })
    respondWithOperation(ctx, operation, `${instance.name} saved. Resizing it.`)
  }
}
