import { invalid, AppError } from '#core/app_error'

/** One wording for unknown, used, old and other people's grants. */
export const GRANT_REJECTED_MESSAGE =
  'This permission to open a terminal was used already or is too old. Reconnect to get a new one.'

export const SIGNED_OUT_MESSAGE = 'You were signed out.'

export const INVALID_PATH_MESSAGE = 'This is no path below the web root.'

export function noFolder(): AppError {
  return invalid({ path: INVALID_PATH_MESSAGE })
}
