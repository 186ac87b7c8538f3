import { AppError } from '#core/app_error'

/** Creates a 413 error: the body has too many bytes, fields or values for the route. */
export function bodyTooLarge(): AppError {
  return new AppError('too_large', 413, 'The request is too large. Send less data at once.')
}
