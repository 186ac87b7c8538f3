import { AppError } from '#core/app_error'

/** 413: more bytes, fields or values than the route accepts. */
export function bodyTooLarge(): AppError {
  return new AppError('too_large', 413, 'The request is too large. Send less data at once.')
}
