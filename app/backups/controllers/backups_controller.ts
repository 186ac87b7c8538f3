import { cannotBackUp } from '#backups/errors'
import { backUp, tryBackup } from '#backups/operations/back_up'
import { lookAtTarget } from '#backups/operations/look_at_target'
import { backupPlan, hasSecret, savePlan } from '#backups/plan'
import {
  backupListing,
  backupsPage,
  backupTrouble,
  newest,
  standing,
} from '#backups/queries/backups'
import { backupCan } from '#backups/states'
import { backupRow, planView } from '#backups/transformers/pages'
import { planForm } from '#backups/validators/backups'
import { answer } from '#core/answers'
import { audit } from '#core/audit/audit'
import { listRequest } from '#core/list_page'
import { UNFINISHED_STATUSES } from '#core/models/operation'
import { operationsOf, startOperation } from '#core/operations/operations'
import { renderPage } from '#core/page'
import type { HttpContext } from '@adonisjs/core/http'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

const BACKUP_SUBJECT = { type: 'backup', id: 1 }

/** Where the installation is backed up, what became of it, and whether it could be had again. */
export default class BackupsController {
  async index(ctx: HttpContext) {
    const [now, secret, trouble, last, drill, [work], { rows, ...facts }] = await Promise.all([
      standing(),
      hasSecret(),
      backupTrouble(),
      newest(['full', 'point'], true),
      newest(['drill']),
      operationsOf(BACKUP_SUBJECT.type, BACKUP_SUBJECT.id),
      backupsPage(listRequest(ctx, backupListing())),
    ])
    return renderPage(ctx, 'admin/backup', {
      ...facts,
      plan: now.plan && planView(now.plan, secret),
      trouble,
      last: last && backupRow(last),
      drill: drill && backupRow(drill),
      mayRun: backupCan.run(now),
      mayDrill: backupCan.drill(now),
      work: work && UNFINISHED_STATUSES.includes(work.status) ? work.describe() : null,
      backups: rows.map(backupRow),
      backupStatus: backupListing().statuses!,
    })
  }

  async plan(ctx: HttpContext) {
    const sent = await planForm.validate(ctx.request.body())
    const { place, region = null, active, every, hours, days, weeks, months } = sent
    const change = {
      ...{ place, region, active, every, keep: { hours, days, weeks, months } },
      accessKeyId: sent.access_key_id || null,
      fullHour: sent.full_hour,
      ...(sent.secret_access_key && { secretAccessKey: sent.secret_access_key }),
    }
    await db.transaction(async (trx) => {
      await savePlan(change, trx)
      const { secretAccessKey: _, ...told } = change
      await note(ctx, 'backup.plan', place, trx, told)
      const title = active ? 'Checking the backup target' : 'Turning off backups'
      await startOperation(
        lookAtTarget,
        {},
        { title, accountId: null, subject: BACKUP_SUBJECT, trx }
      )
    })
    answer(ctx, { message: 'Saved. Checking the target.' })
  }

  async run(ctx: HttpContext) {
    await this.#begin(ctx, 'run')
    answer(ctx, { message: 'Backup started.', status: 202 })
  }

  async drill(ctx: HttpContext) {
    await this.#begin(ctx, 'drill')
    answer(ctx, { message: 'Restore test started.', status: 202 })
  }

  async #begin(ctx: HttpContext, what: 'run' | 'drill') {
    const may = backupCan[what](await standing())
    if (!may.allowed) throw cannotBackUp(may.reason!)
    const { place } = (await backupPlan())!
    const [kind, title] =
      what === 'run' ? [backUp, 'Backing everything up'] : [tryBackup, 'Running restore test']
    await db.transaction(async (trx) => {
      await startOperation(kind, {}, { title, accountId: null, subject: BACKUP_SUBJECT, trx })
      await note(ctx, `backup.${what}`, place, trx)
    })
  }
}

function note(
  { actor, request }: HttpContext,
  action: string,
  label: string,
  trx: TransactionClientContract,
  after: Record<string, unknown> = {}
): Promise<void> {
  const subject = { type: 'backup' as const, id: 1, label }
  return audit({ actor: actor!, action, subject, after, ip: request.ip() }, trx)
}
