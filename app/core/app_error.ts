/** Field errors as the calls answer them: `{ field: [text, …] }`. */
export type FieldErrors = Record<string, string[]>

export interface AppErrorOptions {
  /** Errors at fields; status 422. */
  errors?: FieldErrors
  /** Seconds after which asking again makes sense; status 429 and 503. */
  retryAfter?: number
  cause?: unknown
}

/**
 * The one way in which Berth says no (product, "Answers of calls"): a code for programs, a status for HTTP,
 * words for people. Domains keep theirs in `errors.ts`.
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

/** 404, in the same words for what does not exist and what belongs to somebody else. */
export function notFound(noun = 'page'): AppError {
  return new AppError('not_found', 404, `This ${noun} does not exist.`)
}

/** 403 with the reason. */
export function forbidden(reason = 'You are not allowed to do this.'): AppError {
  return new AppError('forbidden', 403, reason)
}

/** 409: a move that is no longer possible. */
export function conflict(reason: string): AppError {
  return new AppError('conflict', 409, reason)
}

/** 422 with errors at fields. */
export function invalid(errors: Record<string, string>, message?: string): AppError {
  const fields = Object.fromEntries(Object.entries(errors).map(([key, text]) => [key, [text]]))
  return new AppError('invalid', 422, message ?? Object.values(errors)[0], { errors: fields })
}

/** 429: too often; says when to try again. */
export function tooManyRequests(seconds: number, message?: string): AppError {
  const wait = seconds >= 120 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds} seconds`
  return new AppError('too_many', 429, message ?? `Too many attempts. Try again in ${wait}.`, {
    retryAfter: seconds,
  })
}
