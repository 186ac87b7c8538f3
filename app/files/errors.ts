import { conflict, invalid, AppError } from '#core/app_error'

/** 500 MB (docs/product.md, "Files and git"). */
export const MAX_UPLOAD_BYTES = 500 * 1024 * 1024
/**
 * `bytes`: maximum size of each file. `files`: maximum number of files. `total`: maximum size of
 * all. Small files share a request, because a request takes longer than a small file. The total is
 * small because a slow instance can leave the whole request in Berth's memory.
 */
export const BATCH_UPLOAD_LIMITS = { bytes: 256 * 1024, files: 500, total: 4 * 1024 * 1024 }
/** Larger files are uploaded in parts, so that the upload can continue after a lost connection. */
export const MIN_RESUMABLE_BYTES = 100 * 1024 * 1024
/** A slow connection of 60 KB/s needs 5 minutes for a part of this size. */
export const MAX_PART_BYTES = 16 * 1024 * 1024
/** Maximum number of parts that a process receives from one person at the same time. */
export const MAX_PARALLEL_PARTS = 6
export const MAX_FILES_PER_CALL = 500
/**
 * `entries`: maximum entries of a ZIP. `directory`: maximum bytes of its central directory, which
 * stays in memory until the end. `names`: maximum selected names per request.
 */
export const FOLDER_ZIP_LIMITS = { entries: 200_000, directory: 32 * 1024 ** 2, names: 500 }
export const MAX_EDIT_BYTES = 2 * 1024 * 1024

export function fileNotFound(): AppError {
  return new AppError('not_found', 404, 'This file or folder does not exist.')
}

export function nameExists(name?: string): AppError {
  const what = name ? `“${name.toWellFormed()}”` : 'A file or folder with this name'
  return new AppError('exists', 409, `${what} already exists. Nothing was changed.`)
}

export function createdMeanwhile(name = ''): AppError {
  return conflict(
    `Another program created “${name.toWellFormed()}” in the destination meanwhile. Berth did not replace it. Unzip again.`
  )
}

export function unpackedFilesMissing(): AppError {
  return conflict(
    'Another program deleted the unpacked files before they were moved. Nothing was changed. Unzip again.'
  )
}

export const UNPACKING_LOCKED_CODE = 'unpacking_locked'

export function unpackingLocked(): AppError {
  return new AppError(
    UNPACKING_LOCKED_CODE,
    409,
    'An earlier attempt is still running. Try again in a minute.'
  )
}

export function selectedEntryMissing(name = ''): AppError {
  const message = `“${name.toWellFormed()}” no longer exists. Nothing was changed.`
  return new AppError('not_found', 404, message)
}

export function cannotMoveIntoItself(name = ''): AppError {
  return conflict(
    `“${name.toWellFormed()}” cannot be moved or copied into itself. Nothing was changed.`
  )
}

export function linkHasNoMode(name = ''): AppError {
  return conflict(
    `“${name.toWellFormed()}” is a symbolic link. Symbolic links have no mode of their own. Nothing was changed.`
  )
}

/** Adds the partial result to an error: `3 of 5 moved`. */
export function withPartialResult({ code, status, message }: AppError, done: string): AppError {
  return new AppError(code, status, `${done}, then an error occurred: ${message}`)
}

export function notAFolder(): AppError {
  return conflict('This is not a folder.')
}

export function notAFile(): AppError {
  return conflict('This is not a file.')
}

/**
 * Creates the error for a file with another owner, usually root, who created it in the terminal.
 * The page offers to fix the ownership.
 */
export function permissionDenied(): AppError {
  return new AppError(
    'denied',
    403,
    'Permission denied: another user of the server instance (such as root) owns this, or its mode does not allow it. Choose “Fix ownership” and try again.'
  )
}

export function diskFull(): AppError {
  return new AppError(
    'disk_full',
    507,
    'The disk of this server instance is full. Nothing was changed. Free some space and try again.'
  )
}

export function changedMeanwhile(): AppError {
  return new AppError(
    'changed_meanwhile',
    409,
    'The file has changed on the server instance. Your text is still here.'
  )
}

export function tooLargeToEdit(): AppError {
  return new AppError(
    'too_large',
    413,
    'This file is larger than 2 MB, too large for the editor. Download it instead.'
  )
}

export function notATextFile(): AppError {
  return new AppError(
    'binary',
    415,
    'This file is not text, so the editor cannot show it. Download it instead.'
  )
}

export function tooLargeToUpload(): AppError {
  return new AppError('too_large', 413, 'Files up to 500MB can be uploaded. This one is larger.')
}

export function tooLargeForBatchUpload(): AppError {
  return new AppError('too_large', 413, 'Upload files above 256 KB one at a time.')
}

export function tooManyForBatchUpload(): AppError {
  return new AppError(
    'too_many',
    413,
    `Up to ${BATCH_UPLOAD_LIMITS.files} files with 4 MB in total can be uploaded together.`
  )
}

export function folderTooLarge(maxEntries: number): AppError {
  return new AppError(
    'too_many',
    413,
    `This folder has more than ${maxEntries.toLocaleString('en')} files and folders, too many to list. Use the terminal for this folder.`
  )
}

export function tooManyToZip(): AppError {
  const maxEntries = FOLDER_ZIP_LIMITS.entries.toLocaleString('en')
  return new AppError(
    'too_many',
    413,
    `This folder has more than ${maxEntries} files and folders, too many for one zip file. Download its subfolders one by one.`
  )
}

export function uploadInterrupted(): AppError {
  return new AppError('cut_off', 400, 'The upload was incomplete. Nothing was changed. Try again.')
}

export function offsetMismatch(): AppError {
  return new AppError(
    'wrong_offset',
    409,
    'The offset does not match the bytes received so far. Request the current offset and continue from it.'
  )
}

export function uploadBusy(): AppError {
  return new AppError(
    'busy',
    409,
    'This file is being uploaded in another tab. Cancel it there, or try again in a moment.'
  )
}

/** Creates the error for an upload that an earlier connection to another process still receives. */
export function uploadLocked(): AppError {
  return new AppError(
    'locked',
    423,
    'An earlier connection still writes to this file. Try again in a moment.'
  )
}

export function uploadHashMismatch(): AppError {
  return new AppError(
    'differs',
    409,
    'The file that arrived differs from yours. Nothing was changed. Upload it again.'
  )
}

export function tooManyParallelParts(): AppError {
  return new AppError('too_many', 429, 'You are uploading too many files at once.', {
    retryAfter: 5,
  })
}

export function partTooLarge(): AppError {
  return new AppError('too_large', 413, 'Send at most 16 MB of the file per request.')
}

export function notAZip(): AppError {
  return invalid({ file_path: 'Not a zip file' })
}

export function damagedArchive(reason: string): AppError {
  return new AppError('bad_archive', 422, `${reason} Nothing was unpacked.`)
}

export function noInstance(): AppError {
  return conflict('You have no active server instance. Create or start one first.')
}
