import { conflict, invalid, AppError } from '#core/app_error'

export const NO_DATABASE_SERVER_MESSAGE =
  'You have no server instance that can run databases. Create a regular server instance first.'
export const SHARED_INSTANCE_MESSAGE =
  'A database server cannot run on a shared server instance. Choose or create a regular server instance.'
export const SERVER_NOT_RUNNING_MESSAGE =
  'The database server is not running. Start it on the databases page and try again.'

export function noDatabaseServer(message = NO_DATABASE_SERVER_MESSAGE): AppError {
  return conflict(message)
}

export function serverNotRunning(cause?: unknown): AppError {
  return new AppError('database_server_down', 503, SERVER_NOT_RUNNING_MESSAGE, {
    retryAfter: 10,
    cause,
  })
}

export function serverTooSlow(): AppError {
  return new AppError(
    'database_server_slow',
    503,
    'The database server did not answer in time. Try again in a moment. If this continues, restart it.',
    { retryAfter: 10 }
  )
}

export function responseTooLarge(): AppError {
  return databaseOperationFailed(
    'The answer of the database server was too large. Delete tables or users that you no longer need, or use a client on the server instance.'
  )
}

export function databaseOperationFailed(message: string, cause?: unknown): AppError {
  return new AppError('database_refused', 409, message, { cause })
}

export function databaseTaken(): AppError {
  return invalid({
    database_name: 'A database with this name already exists. Choose another name.',
  })
}

export function userTaken(): AppError {
  return invalid({ username: 'A user with this name already exists. Choose another name.' })
}

export function notSupported(message: string): AppError {
  return conflict(message)
}

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

/** For an operation that waited so long that its stored password has expired. */
export function pendingPasswordExpired(): AppError {
  return conflict('The operation started too late, so no database was created. Try again.')
}

export function unsupportedDatabaseServer(message: string): AppError {
  return new AppError('too_small', 409, message)
}

export function wrongPassword(): AppError {
  return invalid({ user_password: 'This is not the password of this user. Nothing was changed.' })
}
