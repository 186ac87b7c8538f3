import { invalid, notFound, AppError, tooManyRequests } from '#core/app_error'
import { fileTypes, type FileKind } from '#support/file_types'
import { MAX_FILE_BYTES, MAX_FILES_PER_MESSAGE } from '#support/limits'

const MAX_FILE_MB = MAX_FILE_BYTES / 1024 ** 2

export const noConversation = () => notFound('conversation')
export const fileNotFound = () => notFound('file')

export function nothingToSend(): AppError {
  return invalid({ text: 'Enter a message or attach a file.' })
}

export function mixedFileKinds(): AppError {
  return invalid({
    text: 'A message can contain either text, photos or documents. Send them one after the other.',
  })
}

/** Only a bug in the client program can cause this error. */
export function messageKeyReused(): AppError {
  return new AppError(
    'key_used',
    409,
    'This idempotency key was already used for a different message. Send the message with a new key.'
  )
}

export function tooManyMessages(): AppError {
  return tooManyRequests(
    30,
    'You sent too many messages at once. Wait half a minute, then send again. Your text is kept.'
  )
}

export function tooManyUploads(): AppError {
  return tooManyRequests(
    3_600,
    'You have uploaded many files without sending them. Send or remove them first.'
  )
}

export function wrongFileType(kind: FileKind, name: string): AppError {
  const known = Object.keys(fileTypes[kind]).join(', ')
  return new AppError(
    'type',
    422,
    `${name.slice(0, 100)} cannot be attached. Allowed file types: ${known}.`
  )
}

export function fileTooLarge(): AppError {
  return new AppError(
    'too_large',
    413,
    `A file can have at most ${MAX_FILE_MB} MB. Choose a smaller file.`
  )
}

export function tooManyFiles(): AppError {
  return new AppError(
    'too_many_files',
    422,
    `A message can have at most ${MAX_FILES_PER_MESSAGE} files.`
  )
}

export function noFilesUploaded(): AppError {
  return invalid({ photo_0: 'Choose a file to attach.' })
}

export function uploadInterrupted(): AppError {
  return new AppError('cut', 400, 'The upload was interrupted. Try again.')
}
