import { renderPage } from '#compute/controllers/page'
import ServerPackage from '#compute/models/server_package'
import { staffVerdict } from '#compute/policies/staff_rules'
import { packageView } from '#compute/transformers/package'
import type { PackageListPage } from '#compute/transformers/pages'
import type { HttpContext } from '@adonisjs/core/http'
import db from '@adonisjs/lucid/services/db'

/** The catalogue (decisions, "Machines": administrators edit it). */
export default class ServerPackagesController {
  async index(ctx: HttpContext) {
    const [packages, used] = await Promise.all([
      ServerPackage.query().orderBy('instance_type').orderBy('position').orderBy('id'),
      db
        .from('server_instances')
        .whereNot('status', 'deleted')
        .groupBy('server_package_id')
        .select('server_package_id')
        .count('* as instances'),
    ])
    const counts = new Map(
      used.map((row) => [Number(row.server_package_id), Number(row.instances)])
    )
    return renderPage<PackageListPage>(ctx, 'admin/server_package/list', {
      packages: packages.map((row) => ({
        ...packageView(row),
        position: row.position,
        instances: counts.get(row.id) ?? 0,
      })),
      mayManage: staffVerdict(ctx.actor!, 'hosts.manage'),
    })
  }
}
