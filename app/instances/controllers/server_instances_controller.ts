import { packageWithAvailabilityView, findSubscription, subscriptionView } from '#catalog/public'
import { accountIdOf } from '#core/contracts/actor'
import { renderPage } from '#core/render_page'
import { orderInstance } from '#instances/actions/order_instance'
import { respondWithOperation } from '#instances/controllers/respond_with_operation'
import { instanceDomainProvider } from '#instances/instance_domain_provider'
import { instanceStatuses } from '#instances/models/server_instance'
import { findDeletion, loadInstanceHistory } from '#instances/queries/instance_history'
import { listInstances } from '#instances/queries/instance_list'
import {
  getInstanceEvenIfDeleted,
  instanceOperationSubject,
  loadPendingOrFailedOperations,
} from '#instances/queries/instances'
import { loadOrderOptions } from '#instances/queries/order_options'
import { instanceCard, instanceView } from '#instances/transformers/instance'
import { orderValidator } from '#instances/validators/instances'
import type { HttpContext } from '@adonisjs/core/http'

export default class ServerInstancesController {
  async index(ctx: HttpContext) {
    const actor = ctx.actor
    const { defaultInstanceId = null } = actor.account ?? {}
    const [{ rows, ...facts }, { offers, canOrder }] = await Promise.all([
      listInstances(ctx, actor),
      loadOrderOptions(accountIdOf(actor)),
    ])
    const work = await loadPendingOrFailedOperations(rows.map(({ id }) => id))
    return renderPage(ctx, 'customer/server_instance/list', {
      ...facts,
      instances: rows.map((row) =>
        instanceCard(row, { defaultInstanceId, operation: work.get(row.id) })
      ),
      instanceStatus: instanceStatuses,
      packages: offers.map(packageWithAvailabilityView),
      canOrder,
    })
  }

  async show(ctx: HttpContext) {
    const actor = ctx.actor
    const instance = await getInstanceEvenIfDeleted(actor, ctx.params.id)
    const { defaultInstanceId = null } = actor.account ?? {}
    const [work, domains, deletion, history, subscription] = await Promise.all([
      loadPendingOrFailedOperations([instance.id]),
      instanceDomainProvider.viewsOf(instance),
      findDeletion(instance),
      loadInstanceHistory(instance),
      findSubscription(instanceOperationSubject(instance)),
    ])
    return renderPage(ctx, 'customer/server_instance/details', {
      instance: instanceView(instance, {
        defaultInstanceId,
        domains,
        operation: work.get(instance.id),
        subscription: subscription && subscriptionView(subscription),
      }),
      deletion,
      history,
      instanceStatus: instanceStatuses,
    })
  }

  async store(ctx: HttpContext) {
    const order = await ctx.request.validateUsing(orderValidator)
    const { instance, operation } = await orderInstance(ctx.actor, {
      name: order.name,
      instanceType: order.instance_type,
      serverPackageId: order.server_package_id,
      billingPeriod: order.billing_period,
      packageVersion: order.package_version,
      ip: ctx.request.ip(),
    })
    respondWithOperation(ctx, operation, `${instance.name} is being created.`, { id: instance.id })
  }
}
