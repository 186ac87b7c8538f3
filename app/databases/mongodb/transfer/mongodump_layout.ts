import { createHash } from 'node:crypto'

export interface CollectionMetadata {
  options?: Record<string, unknown>
  indexes: Record<string, unknown>[]
  uuid?: string
  collectionName: string
  type?: 'collection' | 'view' | 'timeseries'
}

export const DOCUMENTS_EXTENSION = '.bson'
export const METADATA_EXTENSION = '.metadata.json'
export const PRELUDE_FILE = 'prelude.json'
export const TIME_SERIES_BUCKETS_PREFIX = 'system.buckets.'

/** Escapes like Go's `url.QueryEscape`, which mongodump uses for file names. */
function escaped(name: string): string {
  return encodeURIComponent(name.toWellFormed())
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+')
}

export function dumpFileBaseName(collection: string): string {
  const name = escaped(collection)
  if (name.length <= 238) return name
  const digest = createHash('sha1').update(collection).digest('base64url')
  return `${name.slice(0, 208)}%24${digest}`
}

/** The file name, and so the returned name, may be truncated. Then the metadata file has the full name. */
export function collectionOfDumpFile(fileName: string): string {
  try {
    return decodeURIComponent(fileName.replaceAll('+', ' '))
  } catch {
    return fileName
  }
}
