import { conflict, invalid, AppError } from '#core/app_error'

export function invalidPath(message: string, field = 'path'): AppError {
  return invalid({ [field]: message })
}

/** Creates a 422 error. Only the instance can detect such a path, because only it knows its symlinks. */
export function pathOutsideWebRoot(): AppError {
  const message = 'This path leads outside the web root. Nothing was changed.'
  return new AppError('outside', 422, message, { errors: { path: [message] } })
}

export function noWebRoot(): AppError {
  return conflict('This server instance has no web root.')
}

const MAX_ERROR_LINES = 12
const MAX_ERROR_LINE_LENGTH = 1_000

export function commandFailed(what: string, output: string): AppError {
  const end = output.trim().slice(-MAX_ERROR_LINES * MAX_ERROR_LINE_LENGTH)
  const lines = end.split('\n').slice(-MAX_ERROR_LINES)
  const tail = lines.map((line) => line.slice(0, MAX_ERROR_LINE_LENGTH)).join('\n')
  return new AppError('machine_failed', 502, tail ? `${what}: ${tail}` : `${what}.`)
}

/** Creates the error for a command that was killed, or could not start, because the instance's memory is full. */
export function outOfMemory(what: string): AppError {
  return new AppError(
    'out_of_memory',
    503,
    `${what}: the memory of the server instance is used up. Stop processes on the Node Process tab, or restart the server instance without its apps.`,
    { retryAfter: 10 }
  )
}

export function machineReportedError(output: string): AppError {
  const message = output.slice(output.lastIndexOf('\n') + 1).slice(0, 300)
  return new AppError(
    'failed',
    409,
    message
      ? `The server instance reported an error: ${message}`
      : 'The command on the server instance failed.'
  )
}
