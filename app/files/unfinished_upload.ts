import { TEMPORARY_FILE_PREFIX } from '#guest/public'
import { createHash } from 'node:crypto'

/** An upload that can continue. Its only state is the temporary file on the instance. */
export interface UnfinishedUpload {
  temporary: string
  /** The beginning of the name. Other versions of the file, from the same person, share it. */
  prefix: string
  /** Bytes of the complete file. */
  size: number
}

/** How a browser recognizes a file: choosing it again continues its upload. */
export interface FileVersion {
  size: number
  /** `File.lastModified`, in milliseconds since 1970. */
  modified: number
  /** SHA-256 of the first MiB. */
  head: string
}

/** Names the temporary file after the person, so that nobody else can continue the upload. */
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
