import { runBackupOrRestoreTest } from '#backups/run_backup'
import { backUpInstances } from '#backups/back_up_instances'
import { defineOperation, RetryLater, type StepContext } from '#core/operations/operations'
import { BackupRequestError } from '#packages/backup/client'

type Kind = 'full' | 'drill'

/** Runs a backup or restore test. Retries later if another job is running. */
async function runInTurn(
  kind: Kind,
  { operation, signal, reportProgress }: StepContext
): Promise<void> {
  try {
    await runBackupOrRestoreTest(kind, {
      signal,
      operationId: operation.id,
      reportProgress: (note, share) => void reportProgress(note, share).catch(() => {}),
    })
  } catch (error) {
    if (!(error instanceof BackupRequestError) || error.code !== 'busy') throw error
    throw new RetryLater('Waiting for another backup to finish', 5_000)
  }
}

export const backUpNowOperation = defineOperation<object>({
  kind: 'backup.run',
  queue: 'transfer',
  steps: [
    { key: 'backup', label: 'Back up everything', run: (_, step) => runInTurn('full', step) },
    {
      key: 'instances',
      label: 'Back up instances with daily backup',
      run: (_, step) => backUpInstances(step),
    },
  ],
})

export const restoreTestOperation = defineOperation<object>({
  kind: 'backup.drill',
  queue: 'transfer',
  steps: [
    {
      key: 'drill',
      label: 'Restore the backup into a separate folder and compare it',
      run: (_, step) => runInTurn('drill', step),
    },
  ],
})
