import { AppError } from '#core/app_error'
import env from '#start/env'

/** Returns the control machine of this process (docs/decisions/0018). */
export function localMachineId(): string {
  return env.get('MACHINE_ID')
}

/**
 * The worker accesses Incus without the broker, so it must not trust what database rows say about a
 * container or socket (docs/decisions/0011).
 */
export const isWorker = () => process.env.BERTH_ROLE === 'worker'

/**
 * The error that only another control machine can do the work. An operation then waits for that machine's
 * worker; a request responds with the error.
 */
export class NotOnThisHost extends AppError {
  constructor(
    readonly machineId: string,
    message: string
  ) {
    super('elsewhere', 503, message)
  }
}
