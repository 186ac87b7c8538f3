import { backupSocketPath, backupErrorMessage } from '#backups/run_backup'
import { loadBackupSettings, loadBackupTarget, saveTargetStatus } from '#backups/backup_settings'
import { publish } from '#core/live/live_events'
import { defineOperation, RetryLater } from '#core/operations/operations'
import { requestBackupJob, BackupRequestError } from '#packages/backup/client'

/**
 * Checks and prepares a new target. If backups are off, stops archiving PostgreSQL's write-ahead log and frees its
 * disk space.
 */
export const applyBackupSettingsOperation = defineOperation<object>({
  kind: 'backup.look',
  queue: 'transfer',
  steps: [
    {
      key: 'look',
      label: 'Apply the settings at the target',
      async run(_, { reportProgress, signal }) {
        const [plan, target] = await Promise.all([loadBackupSettings(), loadBackupTarget()])
        if (!plan || !target) return
        const asking = {
          signal,
          onProgress: (note: string) => void reportProgress(note).catch(() => {}),
        }
        try {
          const job = plan.active ? ({ job: 'look', target } as const) : ({ job: 'off' } as const)
          await requestBackupJob(backupSocketPath(), job, asking)
          await saveTargetStatus(null)
        } catch (error) {
          signal.throwIfAborted()
          if (error instanceof BackupRequestError && error.code === 'busy') {
            throw new RetryLater('Waiting for a running backup to finish', 3_000)
          }
          await saveTargetStatus(backupErrorMessage(error))
          throw error
        } finally {
          await publish('backup')
        }
      },
    },
  ],
})
