import { conflict, invalid, AppError } from '#core/app_error'
import { ControlUnreachableError } from '#packages/vault-service/control/client'
import { MAX_VAULTS } from '#vault/limits'

export const SERVICE_DOWN_MESSAGE = 'The storage service does not respond. Try again in a moment.'
export const TOO_MANY_VAULTS_MESSAGE = `You have ${MAX_VAULTS} vaults, the limit for one account.`
const NAME_TAKEN_MESSAGE = 'A vault with this name already exists. Choose another name.'

/**
 * Creates a 503 error. After a timeout, the service may have made the change. Uses the service's message if the service
 * reports that it is not serving requests.
 */
export function vaultServiceUnavailable(cause?: unknown): AppError {
  const isServiceAnswer = cause instanceof ControlUnreachableError && cause.code === 'not_serving'
  return new AppError('vault_down', 503, isServiceAnswer ? cause.message : SERVICE_DOWN_MESSAGE, {
    retryAfter: 5,
    cause,
  })
}

export function tooManyVaults(): AppError {
  return conflict(TOO_MANY_VAULTS_MESSAGE)
}

export function nameTaken(): AppError {
  return invalid({ name: NAME_TAKEN_MESSAGE })
}

export function confirmationMismatch(): AppError {
  return invalid({ name: 'This does not match the vault name.' })
}

export function vaultHoldsDatabaseBackups(): AppError {
  return conflict(
    'This vault is used for database backups, so it stays private. To make it public, first choose another vault for the backups and delete the backups in this vault.'
  )
}

export function objectExists(name: string): AppError {
  return new AppError('exists', 409, `A file named ${name} already exists. Replace it?`)
}

export function fileTooLarge(): AppError {
  const message = 'Files up to 500MB can be uploaded here. Use the API or S3 for larger files.'
  return new AppError('too_large', 413, message)
}
