import { backupDoor, wordsOf } from '#backups/run_backup'
import { backupPlan, backupTarget, noteTarget } from '#backups/plan'
import { publish } from '#core/live/live'
import { defineOperation, NotYet } from '#core/operations/operations'
import { askForBackup, BackupRefused } from '#packages/backup/client'

/** Tries a target that was set, and makes it ready for backups; or ends what was kept for them. */
export const lookAtTarget = defineOperation<object>({
  kind: 'backup.look',
  lane: 'transfer',
  steps: [
    {
      key: 'look',
      label: 'Check the target',
      async run(_, { tell, signal }) {
        const [plan, target] = await Promise.all([backupPlan(), backupTarget()])
        if (!plan || !target) return
        const asking = { signal, tell: (note: string) => void tell(note).catch(() => {}) }
        try {
          const job = plan.active ? ({ job: 'look', target } as const) : ({ job: 'off' } as const)
          await askForBackup(backupDoor(), job, asking)
          await noteTarget(null)
        } catch (error) {
          signal.throwIfAborted()
          if (error instanceof BackupRefused && error.code === 'busy') {
            throw new NotYet('Waiting for a running backup', 3_000)
          }
          await noteTarget(wordsOf(error))
          throw error
        } finally {
          await publish('backup')
        }
      },
    },
  ],
})
