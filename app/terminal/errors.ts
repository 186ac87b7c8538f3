import { invalid, AppError } from '#core/app_error'

/**
 * Unknown, used, expired and other people's grants get the same message, so that it reveals
 * nothing.
 */
export const GRANT_REJECTED_MESSAGE =
  'The permission to open this terminal was already used or has expired. Reconnect to get a new one.'

export const SIGNED_OUT_MESSAGE = 'You were signed out.'

export const PATH_OUTSIDE_WEB_ROOT_MESSAGE = 'This path is outside the web root.'

export function shellFolderOutsideWebRoot(): AppError {
  return invalid({ path: PATH_OUTSIDE_WEB_ROOT_MESSAGE })
}
