import { AppError } from '#core/app_error'

/** The body has too many bytes, fields or values for the route. */
export function bodyTooLarge(): AppError {
  return new AppError('too_large', 413, 'The request is too large. Send less data at once.')
}
