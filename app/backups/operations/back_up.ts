import { runBackup } from '#backups/run_backup'
import { backUpInstances } from '#backups/back_up_instances'
import { defineOperation, NotYet, type StepContext } from '#core/operations/operations'
import { BackupRefused } from '#packages/backup/client'

type Kind = 'full' | 'drill'

/** Another one is waited for; what is cut off by a stop is run again. */
async function inTurn(kind: Kind, { operation, signal, tell }: StepContext): Promise<void> {
  try {
    await runBackup(kind, {
      ...{ signal, operationId: operation.id },
      tell: (note, share) => void tell(note, share).catch(() => {}),
    })
  } catch (error) {
    if (!(error instanceof BackupRefused) || error.code !== 'busy') throw error
    throw new NotYet('Waiting for another backup', 5_000)
  }
}

/** Everything now, whatever the schedule says. */
export const backUp = defineOperation<object>({
  kind: 'backup.run',
  lane: 'transfer',
  steps: [
    { key: 'backup', label: 'Back everything up', run: (_, step) => inTurn('full', step) },
    {
      key: 'instances',
      label: 'Back up instances with daily backup',
      run: (_, step) => backUpInstances(step),
    },
  ],
})

/** Restores beside this installation and compares. */
export const tryBackup = defineOperation<object>({
  kind: 'backup.drill',
  lane: 'transfer',
  steps: [
    { key: 'drill', label: 'Restore it and compare', run: (_, step) => inTurn('drill', step) },
  ],
})
