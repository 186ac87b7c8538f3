import { conflict, invalid, Refusal } from '#core/refusal'

/** Refusals of databases: code, status, words. */

export const NO_DATABASE_SERVER_MESSAGE =
  'You have no server instance for databases. Create a regular server instance first.'
export const SHARED_INSTANCE_MESSAGE =
  'A database server cannot run on a shared server instance. Choose or create a regular server instance.'
export const SERVER_NOT_RUNNING_MESSAGE =
  'The database server is not running. Start it on the databases page and try again.'

/** There is nothing that a database could be kept on; `words` say what to do. */
export function noServer(words = NO_DATABASE_SERVER_MESSAGE): Refusal {
  return conflict(words)
}

/** The server was asked and did not take the connection. */
export function notRunning(cause?: unknown): Refusal {
  return new Refusal('database_server_down', 503, SERVER_NOT_RUNNING_MESSAGE, {
    retryAfter: 10,
    cause,
  })
}

/** What the database server itself said, where it fits none of the others. */
export function serverSays(words: string, cause?: unknown): Refusal {
  return new Refusal('database_refused', 409, words, { cause })
}

/** Another database has this name. */
export function databaseTaken(): Refusal {
  return invalid({
    database_name: 'A database with this name already exists. Choose another name.',
  })
}

/** Another user has this name. */
export function userTaken(): Refusal {
  return invalid({ username: 'A user with this name already exists. Choose another name.' })
}

/** Nothing of the kind can be done with this engine here. */
export function notPossible(words: string): Refusal {
  return conflict(words)
}

/** Work on a database is under way. */
export function busy(title: string): Refusal {
  return conflict(`Wait until this finishes: ${title}.`)
}

export function wrongName(): Refusal {
  return invalid({
    name: 'Database name does not match. Please type the correct database name to confirm.',
  })
}

export function tooManyDatabases(): Refusal {
  return conflict('You have 500 databases, the limit for one account.')
}

/** What was asked waited so long that its password is not kept any more. */
export function startedTooLate(): Refusal {
  return conflict('The start took too long, so no database was created. Try again.')
}

/** The package cannot hold a server at all. */
export function tooSmall(words: string): Refusal {
  return new Refusal('too_small', 409, words)
}

/** The user name or the password is not what the server knows. */
export function wrongPassword(): Refusal {
  return invalid({ user_password: 'This is not the password of this user. Nothing was changed.' })
}
