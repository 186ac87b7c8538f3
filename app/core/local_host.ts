import { AppError } from '#core/app_error'
import env from '#start/env'

/** The id of the control machine that this process runs on (docs/decisions/0018). */
export function localMachineId(): string {
  return env.get('MACHINE_ID')
}

/**
 * Whether this process is the worker: no broker stands between it and this machine's Incus, so what rows say of a
 * container or a socket is not enough for it (docs/decisions/0011).
 */
export const isWorker = () => process.env.BERTH_ROLE === 'worker'

/**
 * Thrown where something can be done from another control machine alone. Work that meets it waits for
 * that machine's worker; whoever asks on a page is refused.
 */
export class NotOnThisHost extends AppError {
  constructor(
    readonly machineId: string,
    message: string
  ) {
    super('elsewhere', 503, message)
  }
}
