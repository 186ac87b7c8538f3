import { AppError } from '#core/app_error'
import env from '#start/env'

/** Returns the id of the control machine on which this process runs (docs/decisions/0018). */
export function localMachineId(): string {
  return env.get('MACHINE_ID')
}

/**
 * The worker accesses Incus without the broker, so it must not trust the names of containers and sockets in database
 * rows (docs/decisions/0011).
 */
export const isWorker = () => process.env.BERTH_ROLE === 'worker'

/**
 * Thrown if only another control machine can do the work. An operation then waits for the worker on that machine; a
 * web request fails with this error.
 */
export class NotOnThisHost extends AppError {
  constructor(
    readonly machineId: string,
    message: string
  ) {
    super('elsewhere', 503, message)
  }
}
