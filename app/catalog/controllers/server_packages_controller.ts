import ServerPackage from '#catalog/models/server_package'
import { listVersionsByPackage } from '#catalog/queries/package_versions'
import { listPackages, packageListDefinition } from '#catalog/queries/package_list'
import { packageView, type VersionView } from '#catalog/transformers/package'
import { packageValidator } from '#catalog/validators/packages'
import { respond } from '#core/action_response'
import { audit } from '#core/audit/audit'
import { parseListRequest } from '#core/list_page'
import { renderPage } from '#core/render_page'
import { parseRecordId } from '#core/record_id'
import { notFound } from '#core/app_error'
import { assertAbilityIfStaff, checkStaffPermission } from '#identity/public'
import type { HttpContext } from '@adonisjs/core/http'
import db from '@adonisjs/lucid/services/db'

export default class ServerPackagesController {
  async index(ctx: HttpContext) {
    return renderPage(ctx, 'admin/server_package/list', {
      ...(await listPackages(parseListRequest(ctx, packageListDefinition))),
      mayManage: checkStaffPermission(ctx.actor, 'packages.manage'),
    })
  }

  async store(ctx: HttpContext) {
    return save(ctx, null)
  }

  /** Changed specifications or prices create a new version, and existing instances keep their version. */
  async update(ctx: HttpContext) {
    const id = parseRecordId(ctx.request.input('id'))
    if (!id || !(await ServerPackage.find(id))) throw notFound('package')
    return save(ctx, id)
  }
}

/** @param id `null` for a new package */
async function save(ctx: HttpContext, id: number | null) {
  const actor = ctx.actor
  assertAbilityIfStaff(actor, 'packages.manage')
  const fields = await ctx.request.validateUsing(packageValidator)
  const { row, before } = await db.transaction(async (trx) => {
    // Locks the package, so that concurrent edits get consecutive version numbers, and orders wait for the new
    // version.
    const known = id
      ? await ServerPackage.query({ client: trx }).where({ id }).forUpdate().firstOrFail()
      : null
    const saved = known ?? new ServerPackage().useTransaction(trx)
    const earlier = known ? { ...packageView(known) } : undefined
    saved.merge({
      name: fields.name,
      // An instance cannot change its type, so neither can its package.
      instanceType: known?.instanceType ?? fields.instance_type,
      serverSeries: fields.server_series,
      specifications: fields.specifications,
      pricing: fields.pricing,
      offered: fields.offered,
      position: fields.position ?? saved.position ?? 0,
    })
    saved.editedBy = actor.id
    await saved.save()
    await audit(
      {
        actor,
        action: known ? 'package.update' : 'package.add',
        subject: { type: 'server_package', id: saved.id, label: saved.name },
        before: earlier,
        after: { ...packageView(saved) },
        ip: ctx.request.ip(),
      },
      trx
    )
    return { row: saved, before: earlier }
  })
  const warning = before && before.version !== row.version ? await olderVersionsWarning(row) : null
  respond(ctx, {
    message: warning
      ? `${row.name} is saved as version ${row.version}.${warning}`
      : `${row.name} is saved.`,
    status: id ? 200 : 201,
    data: { id: row.id, version: row.version },
  })
}

async function olderVersionsWarning({ id, version }: ServerPackage): Promise<string> {
  const versions = (await listVersionsByPackage([id])).get(id) ?? []
  const text = versions
    .filter(({ number, instances }) => number !== version && instances > 0)
    .map(keeps)
  return text.length ? ` ${new Intl.ListFormat('en').format(text)}.` : ''
}

function keeps({ number, instances }: VersionView): string {
  return `${instances} ${instances === 1 ? 'instance keeps' : 'instances keep'} version ${number}`
}
