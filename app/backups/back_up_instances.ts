import { runRecordedBackupJob, backupErrorMessage } from '#backups/run_backup'
import Backup from '#backups/models/backup'
import { loadBackupSettings, loadBackupTarget, type BackupSettings } from '#backups/backup_settings'
import { listInstancesToBackUp } from '#backups/queries/instances'
import { incusClientFor } from '#hosts/public_effects'
import type { ServerInstance } from '#instances/public'
import { getOwnContainer } from '#instances/public_effects'
import type { BackupTarget } from '#packages/backup/contract'
import { nullIfNotFound } from '#packages/incus/main'
import logger from '@adonisjs/core/services/logger'
import { DateTime } from 'luxon'

/**
 * Name of an instance's export in Incus. It is always the same, so that a new export replaces the one of an
 * interrupted attempt.
 */
const EXPORT_NAME = 'berth-backup'
const EXPORT_TIMEOUT_SECONDS = 6 * 3_600

interface Step {
  reportProgress(note: string, progress?: number): Promise<void>
  signal: AbortSignal
}

/**
 * Backs up the instances whose package includes daily backups and that have no successful backup started within the
 * last 20 hours.
 * @throws Error at the end, with the names of the instances that failed
 */
export async function backUpInstances({ reportProgress, signal }: Step): Promise<void> {
  const [plan, target] = await Promise.all([loadBackupSettings(), loadBackupTarget()])
  if (!plan || !target) return
  const instances = await listInstancesToBackUpToday(await listInstancesToBackUp())
  const failed: string[] = []
  for (const [index, instance] of instances.entries()) {
    signal.throwIfAborted()
    await reportProgress(
      `${instance.name}, ${index + 1} of ${instances.length}`,
      index / instances.length
    )
    try {
      await backUpInstance(instance, plan, target, signal)
    } catch (error) {
      signal.throwIfAborted()
      logger.warn({ err: error, instance: instance.id }, 'instance could not be backed up')
      failed.push(`${instance.name} (${backupErrorMessage(error)})`)
    }
  }
  if (failed.length) throw new Error(`These instances were not backed up: ${failed.join(', ')}`)
}

async function listInstancesToBackUpToday(instances: ServerInstance[]): Promise<ServerInstance[]> {
  const done = await Backup.query()
    .where({ kind: 'instance', status: 'done' })
    .where('startedAt', '>', DateTime.utc().minus({ hours: 20 }).toSQL()!)
  const names = new Set(done.map(({ systemId }) => systemId))
  return instances.filter(({ systemId }) => !names.has(systemId))
}

export async function backUpInstance(
  instance: ServerInstance,
  { keep }: BackupSettings,
  target: BackupTarget,
  signal: AbortSignal
): Promise<Backup> {
  const { host, id } = instance
  const incus = incusClientFor(host!)
  const { instances } = incus
  const { name } = await getOwnContainer(incus, instance)
  const details = {
    kind: 'instance' as const,
    systemId: name,
    serverInstanceId: id,
    operationId: null,
  }
  const remove = async () => {
    const gone = await nullIfNotFound(instances.deleteBackup(name, EXPORT_NAME))
    await gone?.wait(600)
  }
  await remove()
  try {
    const operation = await instances.createBackup(name, EXPORT_NAME)
    await operation.wait(EXPORT_TIMEOUT_SECONDS, signal)
    const { size, content } = await instances.exportBackup(name, EXPORT_NAME)
    const job = { job: 'instance' as const, target, name, size, keep }
    try {
      return await runRecordedBackupJob(details, job, { signal }, content)
    } finally {
      content.destroy()
    }
  } finally {
    await remove().catch((error: unknown) =>
      logger.warn({ err: error, instance: id }, 'export of an instance could not be removed')
    )
  }
}
