import ServerPackage from '#catalog/models/server_package'
import { stock } from '#catalog/stock'
import { offerView, packageView } from '#catalog/transformers/package'
import { packageValidator } from '#catalog/validators/packages'
import { answer } from '#core/answers'
import { audit } from '#core/audit/audit'
import { renderPage } from '#core/page'
import { recordId } from '#core/record_id'
import { notFound } from '#core/refusal'
import { demandOfStaff, staffVerdict } from '#identity/public'
import type { HttpContext } from '@adonisjs/core/http'
import db from '@adonisjs/lucid/services/db'

/** The catalogue (product, "Machines": administrators edit it). */
export default class ServerPackagesController {
  async index(ctx: HttpContext) {
    const packages = await ServerPackage.query()
      .orderBy('instance_type')
      .orderBy('position')
      .orderBy('id')
    const [offers, counts] = await Promise.all([stock.offersOf(packages), stock.instances()])
    return renderPage(ctx, 'admin/server_package/list', {
      packages: offers.map(({ row, room }) => ({
        ...offerView({ row, room }),
        position: row.position,
        instances: counts.get(row.id) ?? 0,
      })),
      mayManage: staffVerdict(ctx.actor!, 'hosts.manage'),
    })
  }

  async store(ctx: HttpContext) {
    return save(ctx, new ServerPackage())
  }

  /** What was ordered keeps what it was promised; only new orders see the change. */
  async update(ctx: HttpContext) {
    const id = recordId(ctx.request.input('id'))
    const known = id ? await ServerPackage.find(id) : null
    if (!known) throw notFound('package')
    return save(ctx, known)
  }
}

async function save(ctx: HttpContext, row: ServerPackage) {
  const actor = ctx.actor!
  demandOfStaff(actor, 'hosts.manage')
  const fields = await ctx.request.validateUsing(packageValidator)
  const isNew = !row.$isPersisted
  const before = isNew ? undefined : { ...packageView(row) }
  row.merge({
    name: fields.name,
    // Instances of one type cannot become the other.
    instanceType: isNew ? fields.instance_type : row.instanceType,
    serverSeries: fields.server_series,
    specifications: fields.specifications,
    pricing: fields.pricing,
    offered: fields.offered,
    position: fields.position ?? row.position ?? 0,
  })
  await db.transaction(async (trx) => {
    await row.useTransaction(trx).save()
    await audit(
      {
        actor,
        action: isNew ? 'package.add' : 'package.update',
        subject: { type: 'server_package', id: row.id, label: row.name },
        before,
        after: { ...packageView(row) },
        ip: ctx.request.ip(),
      },
      trx
    )
  })
  answer(ctx, {
    message: `${row.name} is saved.`,
    status: isNew ? 201 : 200,
    data: { id: row.id },
  })
}
