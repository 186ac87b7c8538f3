import { cannotBackUp } from '#backups/errors'
import {
  backUpNowOperation,
  restoreTestOperation,
} from '#backups/operations/backup_and_restore_test'
import { applyBackupSettingsOperation } from '#backups/operations/apply_backup_settings'
import { loadBackupSettings, hasTargetSecret, saveBackupSettings } from '#backups/backup_settings'
import {
  backupListDefinition,
  listBackups,
  findBackupProblem,
  findNewestBackup,
  loadBackupReadiness,
} from '#backups/queries/backups'
import { backupPermissions } from '#backups/permissions'
import { backupRow, backupSettingsView } from '#backups/transformers/backup'
import { backupSettingsValidator } from '#backups/validators/backups'
import { respond } from '#core/action_response'
import { audit } from '#core/audit/audit'
import { parseListRequest } from '#core/list_page'
import { UNFINISHED_STATUSES } from '#core/models/operation'
import { listOperationsOfSubject, startOperation } from '#core/operations/operations'
import { renderPage } from '#core/render_page'
import type { HttpContext } from '@adonisjs/core/http'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

const BACKUP_SUBJECT = { type: 'backup', id: 1 }

export default class BackupsController {
  async index(ctx: HttpContext) {
    const [now, secret, trouble, last, drill, [work], { rows, ...facts }] = await Promise.all([
      loadBackupReadiness(),
      hasTargetSecret(),
      findBackupProblem(),
      findNewestBackup(['full', 'point'], true),
      findNewestBackup(['drill']),
      listOperationsOfSubject(BACKUP_SUBJECT.type, BACKUP_SUBJECT.id),
      listBackups(parseListRequest(ctx, backupListDefinition())),
    ])
    return renderPage(ctx, 'admin/backup', {
      ...facts,
      plan: now.plan && backupSettingsView(now.plan, secret),
      trouble,
      last: last && backupRow(last),
      drill: drill && backupRow(drill),
      mayRun: backupPermissions.run(now),
      mayDrill: backupPermissions.drill(now),
      work: work && UNFINISHED_STATUSES.includes(work.status) ? work.describe() : null,
      backups: rows.map(backupRow),
      backupStatus: backupListDefinition().statuses!,
    })
  }

  async plan(ctx: HttpContext) {
    const sent = await backupSettingsValidator.validate(ctx.request.body())
    const { place, region = null, active, every, hours, days, weeks, months } = sent
    const change = {
      place,
      region,
      active,
      every,
      keep: { hours, days, weeks, months },
      accessKeyId: sent.access_key_id || null,
      fullHour: sent.full_hour,
      ...(sent.secret_access_key && { secretAccessKey: sent.secret_access_key }),
    }
    await db.transaction(async (trx) => {
      await saveBackupSettings(change, trx)
      const { secretAccessKey: _, ...told } = change
      await note(ctx, 'backup.plan', place, trx, told)
      const title = active ? 'Checking the backup target' : 'Turning off backups'
      await startOperation(
        applyBackupSettingsOperation,
        {},
        { title, accountId: null, subject: BACKUP_SUBJECT, trx }
      )
    })
    const next = active ? 'Checking the target.' : 'Turning off backups.'
    respond(ctx, { message: `Settings saved. ${next}` })
  }

  async run(ctx: HttpContext) {
    await this.#begin(ctx, 'run')
    respond(ctx, { message: 'Backup started.', status: 202 })
  }

  async drill(ctx: HttpContext) {
    await this.#begin(ctx, 'drill')
    respond(ctx, { message: 'Restore test started.', status: 202 })
  }

  async #begin(ctx: HttpContext, what: 'run' | 'drill') {
    const may = backupPermissions[what](await loadBackupReadiness())
    if (!may.allowed) throw cannotBackUp(may.reason!)
    const { place } = (await loadBackupSettings())!
    const [kind, title] =
      what === 'run'
        ? [backUpNowOperation, 'Backing up everything']
        : [restoreTestOperation, 'Running restore test']
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
  return audit({ actor, action, subject, after, ip: request.ip() }, trx)
}
