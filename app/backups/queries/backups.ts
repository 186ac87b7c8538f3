import Backup from '#backups/models/backup'
import { backupKinds, backupStatuses } from '#backups/statuses'
import { loadBackupSettings } from '#backups/backup_settings'
import type { BackupReadiness } from '#backups/permissions'
import {
  searchAnywhereIn,
  type ListDefinition,
  queryListPage,
  type ListRequest,
} from '#core/list_page'

export function backupListDefinition(): ListDefinition {
  return {
    statuses: backupStatuses,
    sorts: {
      kind: 'kind',
      begun: 'started_at',
      took: 'ended_at - started_at',
      bytes: 'bytes',
      added: 'added',
      status: 'status',
    },
    ties: 'started_at desc, id desc',
    search: searchAnywhereIn('kind', 'system_id', 'error', 'note'),
  }
}

export function listBackups(list: ListRequest) {
  return queryListPage<Backup>(Backup.query().select('*'), list, backupListDefinition())
}

/** Returns the newest finished backup, also if it failed. With `done`, returns the newest successful one. */
export function findNewestBackup(
  kinds: (keyof typeof backupKinds)[],
  done = false
): Promise<Backup | null> {
  const query = Backup.query()
    .whereIn('kind', kinds)
    .orderBy('startedAt', 'desc')
    .orderBy('id', 'desc')
  if (done) query.where('status', 'done')
  else query.whereNot('status', 'running')
  return query.first()
}

export async function loadBackupReadiness(): Promise<BackupReadiness> {
  const [plan, running, full] = await Promise.all([
    loadBackupSettings(),
    Backup.query().where('status', 'running').first(),
    findNewestBackup(['full'], true),
  ])
  return { plan, running: running !== null, hasBackup: full !== null }
}

/** If this many point-in-time backups in a row were missed, the backup page and an alert report a problem. */
const MAX_MISSED_POINTS = 3

/** For the backup page and the alert. Returns `null` if there is no problem or backups are off. */
export async function findBackupProblem(now = Date.now()): Promise<string | null> {
  const plan = await loadBackupSettings()
  if (!plan?.active) return null
  if (plan.state === 'refused') return `The target cannot be used: ${plan.trouble}`
  const [last, good, drill, instance] = await Promise.all([
    findNewestBackup(['full', 'point']),
    findNewestBackup(['full', 'point'], true),
    findNewestBackup(['drill']),
    findNewestBackup(['instance']),
  ])
  if (last?.status === 'failed') return `The last backup failed: ${last.error}`
  const late = now - (good?.startedAt.toMillis() ?? now) - MAX_MISSED_POINTS * plan.every * 60_000
  if (late > 0) return `There has been no backup since ${good!.startedAt.toUTC().toISO()}`
  if (drill?.status === 'failed') return `The last restore test failed: ${drill.error}`
  if (instance?.status === 'failed') {
    return `The last backup of instance ${instance.systemId} failed: ${instance.error}`
  }
  return null
}
