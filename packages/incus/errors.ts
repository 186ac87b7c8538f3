/** Kind of an error. Callers must decide by the kind, never by the message. */
export type IncusErrorKind =
  | 'bad_request'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'stale'
  | 'unreachable'
  | 'timed_out'
  | 'cancelled'
  | 'unsupported'
  | 'failed'

const KIND_BY_STATUS: Record<number, IncusErrorKind> = {
  400: 'bad_request',
  401: 'cancelled',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  412: 'stale',
}

/**
 * The only error class of this package. For an error response, `message` is Incus's own message, shortened, and
 * `status` is its status. Most other errors have the status 0.
 */
export class IncusError extends Error {
  override name = 'IncusError'
  readonly kind: IncusErrorKind
  readonly status: number

  constructor(kind: IncusErrorKind, status: number, message: string, cause?: unknown) {
    super(cut(message), { cause })
    this.kind = kind
    this.status = status
  }

  /**
   * Converts an error response. Incus reports some conflicts with status 400 or 500, and some missing items with other
   * statuses than 404. The message decides in these cases.
   */
  static fromAnswer(status: number, message: string): IncusError {
    const exists =
      /already (exists|in use|running|stopped|defined)|already used|UNIQUE constraint failed/i.test(
        message
      )
    if (exists) return new IncusError('conflict', status, message)
    if (status !== 404 && /not found/i.test(message) && status >= 400 && status < 500) {
      return new IncusError('not_found', status, message)
    }
    return new IncusError(KIND_BY_STATUS[status] ?? 'failed', status, message)
  }

  /** For a server that could not be reached, or whose connection broke before the response. */
  static unreachable(where: string, cause: unknown): IncusError {
    const reason = cause instanceof Error ? cause.message : String(cause)
    return new IncusError('unreachable', 0, `Incus at ${where} cannot be reached: ${reason}`, cause)
  }

  static cancelled(): IncusError {
    return new IncusError('cancelled', 0, 'The call was cancelled')
  }

  static timedOut(what: string, seconds: number): IncusError {
    return new IncusError('timed_out', 0, `${what} took longer than ${seconds} s`)
  }
}

/** With `kinds`, the error must be one of these kinds. */
export function isIncusError(error: unknown, ...kinds: IncusErrorKind[]): error is IncusError {
  return error instanceof IncusError && (kinds.length === 0 || kinds.includes(error.kind))
}

export async function nullIfNotFound<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work
  } catch (error) {
    if (isIncusError(error, 'not_found')) return null
    throw error
  }
}

/** Shortens a message, because Incus includes the whole output of failed programs, which may be megabytes. */
function cut(message: string): string {
  return message.length > 3_000 ? `${message.slice(0, 2_000)} … ${message.slice(-800)}` : message
}
