import { renderPage } from '#compute/controllers/page'
import { hostStatuses } from '#compute/models/host_instance'
import { instanceStatuses } from '#compute/models/server_instance'
import { staffVerdict } from '#compute/policies/staff_rules'
import { openFindings } from '#compute/queries/findings'
import { capacitiesOf, findHost, hosts, instancesOn } from '#compute/queries/hosts'
import { hostCard, hostView } from '#compute/transformers/host'
import type { HostListPage, HostPage } from '#compute/transformers/pages'
import type { HttpContext } from '@adonisjs/core/http'

/** The machines that instances live on. */
export default class HostInstancesController {
  async index(ctx: HttpContext) {
    const rows = await hosts().orderBy('id')
    const capacities = await capacitiesOf(rows)
    return renderPage<HostListPage>(ctx, 'admin/host_instance/list', {
      hosts: rows.map((row) => hostCard(row, capacities.get(row.id)!)),
      instanceStatus: hostStatuses,
      mayManage: staffVerdict(ctx.actor!, 'hosts.manage'),
    })
  }

  async show(ctx: HttpContext) {
    const host = await findHost(ctx.params.id)
    const [capacities, servers, findings] = await Promise.all([
      capacitiesOf([host]),
      instancesOn(host.id),
      openFindings(host.id),
    ])
    return renderPage<HostPage>(ctx, 'admin/host_instance/details', {
      host: hostView(
        host,
        capacities.get(host.id)!,
        servers.map(({ id, name, ip, status, ports }) => ({ id, name, ip, status, ports }))
      ),
      instanceStatus: hostStatuses,
      serverStatus: instanceStatuses,
      mayManage: staffVerdict(ctx.actor!, 'hosts.manage'),
      findings,
    })
  }
}
