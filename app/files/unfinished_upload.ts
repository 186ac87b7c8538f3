import { TEMPORARY_FILE_PREFIX } from '#guest/public'
import { createHash } from 'node:crypto'

/** An upload that can continue. The temporary file on the instance is its only state. */
export interface UnfinishedUpload {
  temporary: string
  /** Beginning of the name, shared by other versions of the file from the same person. */
  prefix: string
  /** Bytes of the complete file. */
  size: number
}

/** Identifies a file in a browser: choosing it again continues its upload. */
export interface FileVersion {
  size: number
  /** `File.lastModified`, in milliseconds since 1970. */
  modified: number
  /** SHA-256 of the first MiB. */
  head: string
}

/** Names the temporary file after the person, so that only that person can continue the upload. */
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
