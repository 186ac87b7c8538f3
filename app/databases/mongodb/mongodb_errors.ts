import {
  databaseTaken,
  notSupported,
  serverNotRunning,
  databaseOperationFailed,
  userTaken,
} from '#databases/errors'
import { AppError } from '#core/app_error'
import { MongoNetworkError, MongoServerError, MongoServerSelectionError } from 'mongodb'

/** Codes from MongoDB's `error_codes.yml`. */
export const MONGODB_ERROR_CODES = {
  userNotFound: 11,
  unauthorized: 13,
  authenticationFailed: 18,
  namespaceNotFound: 26,
  indexNotFound: 27,
  roleNotFound: 31,
  namespaceExists: 48,
  maxTimeExpired: 50,
  commandNotFound: 59,
  snapshotTooOld: 239,
  snapshotUnavailable: 246,
  notImplemented: 238,
  databaseDiffersInCase: 13297,
  duplicateKey: 11000,
  interrupted: 11601,
  userExists: 51003,
  outOfDiskSpace: 14031,
} as const

/** Returns null for errors that do not come from the server. */
export function mongodbErrorCode(error: unknown): number | null {
  return error instanceof MongoServerError && typeof error.code === 'number' ? error.code : null
}

/** Servers repeat whole documents in their error messages, so the text is cut. */
const MAX_ERROR_CHARACTERS = 500

/**
 * Converts an error of the MongoDB server or its connection to an AppError. Returns other errors unchanged. Omits the
 * driver's error object, because it can contain documents.
 */
export function convertMongodbError(error: unknown): unknown {
  if (error instanceof AppError) return error
  if (error instanceof MongoNetworkError || error instanceof MongoServerSelectionError) {
    return serverNotRunning(new Error(error.message))
  }
  if (!(error instanceof MongoServerError)) return error
  const message = mongodbErrorMessage(error)
  switch (error.code) {
    case MONGODB_ERROR_CODES.userExists:
      return userTaken()
    case MONGODB_ERROR_CODES.databaseDiffersInCase:
      return databaseTaken()
    case MONGODB_ERROR_CODES.notImplemented:
    case MONGODB_ERROR_CODES.commandNotFound:
      return notSupported(`The database server does not support this: ${message}`)
    case MONGODB_ERROR_CODES.outOfDiskSpace:
      return databaseOperationFailed(
        'The disk of the database server is full. Free some space and try again.'
      )
    case MONGODB_ERROR_CODES.maxTimeExpired:
      return new AppError('too_slow', 408, 'The command took longer than allowed and was stopped.')
    case MONGODB_ERROR_CODES.interrupted:
      return new AppError('cancelled', 409, 'The command was cancelled.')
    case MONGODB_ERROR_CODES.unauthorized:
      return new AppError(
        'not_allowed',
        403,
        'This database user does not have the right to do this.'
      )
  }
  return databaseOperationFailed(`The database server says: ${message}`)
}

export function mongodbErrorMessage(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.replace(/[\x00-\x1f\x7f]+/g, ' ').slice(0, MAX_ERROR_CHARACTERS)
}
