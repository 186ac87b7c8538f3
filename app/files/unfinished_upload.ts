import { TEMPORARY_FILE_PREFIX } from '#guest/public'
import { createHash } from 'node:crypto'

/** An upload that can continue. The temporary file on the instance is its only state. */
export interface UnfinishedUpload {
  temporary: string
  /**
   * Beginning of the temporary file's name. Uploads of other versions of the file by the same
   * person have it too.
   */
  prefix: string
  /** Bytes of the complete file. */
  size: number
}

/**
 * Identifies a version of a file in a browser. If the user chooses the same file again, its upload
 * continues.
 */
export interface FileVersion {
  size: number
  /** `File.lastModified`, in milliseconds since 1970. */
  modified: number
  /** SHA-256 of the file's first MiB. */
  head: string
}

/**
 * Returns the upload's temporary file. Its name depends on the person, so that nobody else can
 * continue the upload.
 */
export function unfinishedUpload(
  personId: number,
  path: string,
  { size, modified, head }: FileVersion
): UnfinishedUpload {
  const prefix = `${TEMPORARY_FILE_PREFIX}up-${shortHash([personId, path])}-`
  return { temporary: `${prefix}${shortHash([size, modified, head])}.part`, prefix, size }
}

function shortHash(values: (string | number)[]): string {
  return createHash('sha256').update(JSON.stringify(values)).digest('hex').slice(0, 32)
}
