import { AppError } from '#core/app_error'
import { MachineError } from '#packages/machine/main'

const RECOVERY_ADVICE =
  'If this continues, stop programs on the instance, or restart it without its apps on the Node Process tab of a project.'

/** Creates a 502 error if the output is too large. For all other kinds, creates a 503 error. */
export function machineErrorToAppError(error: MachineError): AppError {
  if (error.kind === 'too-much-output') {
    const message = 'The response of the server instance was too large. Nothing was changed.'
    return new AppError('too_much_output', 502, message, { cause: error })
  }
  return new AppError('unreachable', 503, messageFor(error), { retryAfter: 10, cause: error })
}

export function toAppErrorIfMachineError(error: unknown): unknown {
  return error instanceof MachineError ? machineErrorToAppError(error) : error
}

function messageFor({ kind }: MachineError): string {
  if (kind === 'refused-host-key') {
    return 'The SSH host key of the server instance has changed, so the console did not sign in. Restore the keys in /etc/ssh, or ask support.'
  }
  if (kind === 'refused-credentials') {
    return 'The server instance no longer accepts the SSH key of the console. Add it to /home/berth/.ssh/authorized_keys again, or ask support.'
  }
  if (kind === 'timeout') {
    return `The server instance was too slow to answer; its memory or processors may be used up. Try again in a moment. ${RECOVERY_ADVICE}`
  }
  return `The server instance cannot be reached right now. Its memory may be used up, or it is starting. Try again in a moment. ${RECOVERY_ADVICE}`
}

/** Creates a 409 error for an instance or host that cannot be reached in its present state. */
export function instanceNotReachable(reason: string): AppError {
  return new AppError('not_reachable', 409, reason)
}
