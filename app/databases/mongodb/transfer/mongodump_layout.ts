import { createHash } from 'node:crypto'

/** What mongodump writes beside a collection's documents (`<collection>.metadata.json`), as extended JSON. */
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
/** Where the server keeps what a time series is made of. */
export const TIME_SERIES_BUCKETS_PREFIX = 'system.buckets.'

/** Go's `url.QueryEscape`, which mongodump makes names of files by. */
function escaped(name: string): string {
  return encodeURIComponent(name.toWellFormed())
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+')
}

/** The name of a collection's files without their ends; cut, with a digest, where it would be too long. */
export function dumpFileBaseName(collection: string): string {
  const name = escaped(collection)
  if (name.length <= 238) return name
  const digest = createHash('sha1').update(collection).digest('base64url')
  return `${name.slice(0, 208)}%24${digest}`
}

/** The collection that a file is of; its metadata says it better where a name was cut. */
export function collectionOfDumpFile(fileName: string): string {
  try {
    return decodeURIComponent(fileName.replaceAll('+', ' '))
  } catch {
    return fileName
  }
}
