import { formatWait } from '#packages/text/count_with_noun'

/** Error messages by name of the form field. */
export type FieldErrors = Record<string, string[]>

export interface AppErrorOptions {
  errors?: FieldErrors
  /** Seconds until a retry makes sense. Set for status 429 and 503. */
  retryAfter?: number
  cause?: unknown
}

/**
 * An expected error. Programs read `code`, people read `message`. Modules define their errors in
 * `errors.ts`.
 */
export class AppError extends Error {
  readonly code: string
  readonly status: number
  readonly errors?: FieldErrors
  readonly retryAfter?: number

  constructor(code: string, status: number, message: string, options: AppErrorOptions = {}) {
    super(message, { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.status = status
    this.errors = options.errors
    this.retryAfter = options.retryAfter
  }
}

/** Missing records and records of other accounts get the same message. */
export function notFound(noun = 'page'): AppError {
  return new AppError('not_found', 404, `This ${noun} does not exist.`)
}

export function forbidden(reason = 'You are not allowed to do this.'): AppError {
  return new AppError('forbidden', 403, reason)
}

export function conflict(reason: string): AppError {
  return new AppError('conflict', 409, reason)
}

export function invalid(errors: Record<string, string>, message?: string): AppError {
  const fields = Object.fromEntries(Object.entries(errors).map(([key, text]) => [key, [text]]))
  return new AppError('invalid', 422, message ?? Object.values(errors)[0], { errors: fields })
}

export function tooManyRequests(seconds: number, message?: string): AppError {
  return new AppError(
    'too_many',
    429,
    message ?? `Too many attempts. Try again in ${formatWait(seconds)}.`,
    {
      retryAfter: seconds,
    }
  )
}
