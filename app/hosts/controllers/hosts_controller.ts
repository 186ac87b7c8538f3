import { respond } from '#core/action_response'
import { startsWith, type ListDefinition, queryListPage, parseListRequest } from '#core/list_page'
import { renderPage } from '#core/render_page'
import { addHost, removeHost, saveHostSshSettings, updateHost } from '#hosts/actions/manage_hosts'
import HostInstance, { hostStatuses } from '#hosts/models/host_instance'
import { listOpenDiscrepancies } from '#hosts/queries/discrepancies'
import { getHost } from '#hosts/queries/hosts'
import {
  hostCapacityView,
  listPackageCapacity,
  listSoldOutPackagesByHost,
} from '#hosts/queries/capacity'
import { hostedInstancesProvider } from '#hosts/hosted_instances_provider'
import { hostCard, hostView } from '#hosts/transformers/host'
import { hostSshValidator, hostUpdateValidator, newHostValidator } from '#hosts/validators/hosts'
import { assertAbilityIfStaff, checkStaffPermission } from '#identity/public'
import type { HttpContext } from '@adonisjs/core/http'

const hostList: ListDefinition = {
  statuses: hostStatuses,
  sorts: { name: 'lower(name)', status: 'status', age: 'id' },
  order: 'age',
  search: startsWith('name', 'ip'),
}

export default class HostsController {
  async index(ctx: HttpContext) {
    const { rows, ...facts } = await queryListPage<HostInstance>(
      HostInstance.live(),
      parseListRequest(ctx, hostList),
      hostList
    )
    const soldOut = await listSoldOutPackagesByHost(rows)
    return renderPage(ctx, 'admin/host_instance/list', {
      ...facts,
      hosts: rows.map((row) => hostCard(row, hostCapacityView(row), soldOut.get(row.id)!)),
      instanceStatus: hostStatuses,
      mayManage: checkStaffPermission(ctx.actor, 'hosts.manage'),
    })
  }

  async show(ctx: HttpContext) {
    const host = await getHost(ctx.params.id)
    const [soldOut, packageRoom, servers, imageReserve, findings] = await Promise.all([
      listSoldOutPackagesByHost([host]),
      listPackageCapacity(host),
      hostedInstancesProvider.listedOn(host.id),
      hostedInstancesProvider.sumImageReserve(host.id),
      listOpenDiscrepancies(host.id),
    ])
    return renderPage(ctx, 'admin/host_instance/details', {
      host: hostView(host, hostCapacityView(host), soldOut.get(host.id)!, servers, {
        image_reserve: imageReserve,
        package_capacity: packageRoom,
      }),
      instanceStatus: hostStatuses,
      serverStatus: hostedInstancesProvider.statuses,
      mayManage: checkStaffPermission(ctx.actor, 'hosts.manage'),
      findings,
    })
  }

  async store(ctx: HttpContext) {
    const actor = ctx.actor
    assertAbilityIfStaff(actor, 'hosts.manage')
    const wanted = await newHostValidator.validate(ctx.request.body())
    const host = await addHost(actor, wanted, ctx.request.ip())
    respond(ctx, {
      message: `Host ${host.name} added. It becomes active when it is prepared.`,
      status: 201,
      data: { id: host.id },
    })
  }

  async update(ctx: HttpContext) {
    const actor = ctx.actor
    assertAbilityIfStaff(actor, 'hosts.manage')
    const { id } = await getHost(ctx.request.input('id'))
    const fields = await ctx.request.validateUsing(hostUpdateValidator)
    const host = await updateHost(actor, id, fields, ctx.request.ip())
    respond(ctx, { message: `Host ${host.name} saved.` })
  }

  async destroy(ctx: HttpContext) {
    const actor = ctx.actor
    assertAbilityIfStaff(actor, 'hosts.manage')
    const { id, name } = await getHost(ctx.request.input('id'))
    await removeHost(actor, id, ctx.request.body().name, ctx.request.ip())
    respond(ctx, { message: `Host ${name} removed from Berth.`, to: '/admin/host-instance/list' })
  }

  async ssh(ctx: HttpContext) {
    const actor = ctx.actor
    assertAbilityIfStaff(actor, 'hosts.manage')
    const host = await getHost(ctx.request.input('id'))
    await saveHostSshSettings(
      actor,
      host,
      await hostSshValidator.validate(ctx.request.body()),
      ctx.request.ip()
    )
    respond(ctx, { message: `SSH access to ${host.name} saved. You can now open its terminal.` })
  }
}
