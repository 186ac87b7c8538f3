import {
  BACKUP_RUNNING_MESSAGE,
  NO_TARGET_MESSAGE,
  NO_BACKUP_TO_TEST_MESSAGE,
} from '#backups/errors'
import type { Plan } from '#backups/plan'
import { no, type Verdict, yes } from '#core/verdict'

export interface Standing {
  plan: Plan | null
  running: boolean
  /** Whether there is a full one by the plan. */
  hasBackup: boolean
}

function whyNoTarget(plan: Plan | null): string | null {
  if (!plan) return NO_TARGET_MESSAGE
  if (!plan.active) return 'Backups are turned off.'
  if (plan.state === 'new') return 'The target is being checked.'
  return plan.state === 'refused' ? `The target cannot be used: ${plan.trouble}` : null
}

/** What can be done now; where not, why. */
export const backupCan = {
  run({ plan, running }: Standing): Verdict {
    const reason = whyNoTarget(plan) ?? (running ? BACKUP_RUNNING_MESSAGE : null)
    return reason ? no(reason) : yes
  },
  drill(standing: Standing): Verdict {
    const run = backupCan.run(standing)
    if (!run.allowed) return run
    return standing.hasBackup ? yes : no(NO_BACKUP_TO_TEST_MESSAGE)
  },
}
