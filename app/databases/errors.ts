import { conflict, invalid, AppError } from '#core/app_error'

/** Refusals of databases: code, status, words. */

export const NO_DATABASE_SERVER_MESSAGE =
  'You have no server instance that can run databases. Create a regular server instance first.'
export const SHARED_INSTANCE_MESSAGE =
  'A database server cannot run on a shared server instance. Choose or create a regular server instance.'
export const SERVER_NOT_RUNNING_MESSAGE =
  'The database server is not running. Start it on the databases page and try again.'

/** There is nothing that a database could be kept on; `message` say what to do. */
export function noDatabaseServer(message = NO_DATABASE_SERVER_MESSAGE): AppError {
  return conflict(message)
}

/** The server was asked and did not take the connection. */
export function serverNotRunning(cause?: unknown): AppError {
  return new AppError('database_server_down', 503, SERVER_NOT_RUNNING_MESSAGE, {
    retryAfter: 10,
    cause,
  })
}

/** What the database server itself said, where it fits none of the others. */
export function databaseOperationFailed(message: string, cause?: unknown): AppError {
  return new AppError('database_refused', 409, message, { cause })
}

/** Another database has this name. */
export function databaseTaken(): AppError {
  return invalid({
    database_name: 'A database with this name already exists. Choose another name.',
  })
}

/** Another user has this name. */
export function userTaken(): AppError {
  return invalid({ username: 'A user with this name already exists. Choose another name.' })
}

/** Nothing of the kind can be done with this engine here. */
export function notSupported(message: string): AppError {
  return conflict(message)
}

/** Work on a database is under way. */
export function databaseBusy(title: string): AppError {
  return conflict(`Wait until this finishes: ${title}.`)
}

export function nameConfirmationMismatch(): AppError {
  return invalid({
    name: 'Database name does not match. Please type the correct database name to confirm.',
  })
}

export function tooManyDatabases(): AppError {
  return conflict(
    'You have 500 databases, the limit for one account. Drop one that you do not need.'
  )
}

/** What was asked waited so long that its password is not kept any more. */
export function pendingPasswordExpired(): AppError {
  return conflict('The operation started too late, so no database was created. Try again.')
}

/** The package cannot hold a server at all. */
export function packageTooSmall(message: string): AppError {
  return new AppError('too_small', 409, message)
}

/** The user name or the password is not what the server knows. */
export function wrongPassword(): AppError {
  return invalid({ user_password: 'This is not the password of this user. Nothing was changed.' })
}
