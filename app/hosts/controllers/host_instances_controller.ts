import { answer } from '#core/answers'
import { begins, type ListDefinition, listPage, listRequest } from '#core/list_page'
import { renderPage } from '#core/page'
import { addHost, removeHost, setHostSsh, updateHost } from '#hosts/actions/hosts'
import HostInstance, { hostStatuses } from '#hosts/models/host_instance'
import { openFindings } from '#hosts/queries/findings'
import { findHost } from '#hosts/queries/hosts'
import { capacityOf, soldOutOn } from '#hosts/queries/room'
import { tenants } from '#hosts/tenants'
import { hostCard, hostView } from '#hosts/transformers/host'
import { hostKeyValidator, hostUpdateValidator, newHostValidator } from '#hosts/validators/hosts'
import { demandOfStaff, staffVerdict } from '#identity/public'
import type { HttpContext } from '@adonisjs/core/http'

const hostList: ListDefinition = {
  statuses: hostStatuses,
  sorts: { name: 'lower(name)', status: 'status', age: 'id' },
  order: 'age',
  search: begins('name', 'ip'),
}

/** The machines that instances live on. */
export default class HostInstancesController {
  async index(ctx: HttpContext) {
    const { rows, ...facts } = await listPage<HostInstance>(
      HostInstance.live(),
      listRequest(ctx, hostList),
      hostList
    )
    const soldOut = await soldOutOn(rows)
    return renderPage(ctx, 'admin/host_instance/list', {
      ...facts,
      hosts: rows.map((row) => hostCard(row, capacityOf(row), soldOut.get(row.id)!)),
      instanceStatus: hostStatuses,
      mayManage: staffVerdict(ctx.actor!, 'hosts.manage'),
    })
  }

  async show(ctx: HttpContext) {
    const host = await findHost(ctx.params.id)
    const [soldOut, servers, findings] = await Promise.all([
      soldOutOn([host]),
      tenants.listedOn(host.id),
      openFindings(host.id),
    ])
    return renderPage(ctx, 'admin/host_instance/details', {
      host: hostView(host, capacityOf(host), soldOut.get(host.id)!, servers),
      instanceStatus: hostStatuses,
      serverStatus: tenants.statuses,
      mayManage: staffVerdict(ctx.actor!, 'hosts.manage'),
      findings,
    })
  }

  /** `POST /admin/host-instance/store`: another Incus by its trust token. */
  async store(ctx: HttpContext) {
    const actor = ctx.actor!
    demandOfStaff(actor, 'hosts.manage')
    const wanted = await ctx.request.validateUsing(newHostValidator)
    const host = await addHost(actor, wanted, ctx.request.ip())
    answer(ctx, { message: `${host.name} is added.`, status: 201, data: { id: host.id } })
  }

  async update(ctx: HttpContext) {
    const actor = ctx.actor!
    demandOfStaff(actor, 'hosts.manage')
    const { id } = await findHost(ctx.request.input('id'))
    const fields = await ctx.request.validateUsing(hostUpdateValidator)
    const host = await updateHost(actor, id, fields, ctx.request.ip())
    answer(ctx, { message: `${host.name} is updated.` })
  }

  /** `POST /admin/host-instance/delete { id, name }`. */
  async destroy(ctx: HttpContext) {
    const actor = ctx.actor!
    demandOfStaff(actor, 'hosts.manage')
    const { id, name } = await findHost(ctx.request.input('id'))
    await removeHost(actor, id, ctx.request.input('name'), ctx.request.ip())
    answer(ctx, { message: `${name} is removed from Berth.`, to: '/admin/host-instance/list' })
  }

  /** `POST /admin/host-instance/ssh`: how its terminal is reached. */
  async ssh(ctx: HttpContext) {
    const actor = ctx.actor!
    demandOfStaff(actor, 'hosts.manage')
    const host = await findHost(ctx.request.input('id'))
    await setHostSsh(
      actor,
      host,
      await ctx.request.validateUsing(hostKeyValidator),
      ctx.request.ip()
    )
    answer(ctx, { message: `The terminal of ${host.name} is set up.` })
  }
}
