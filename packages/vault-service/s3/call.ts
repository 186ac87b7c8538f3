import type { IncomingMessage } from 'node:http'
import type { AccessKey, ObjectStore, StoredObject, Vault } from '../types.js'
import type { RequestBody } from './body.js'
import { decodePercent } from './address.js'
import type { HeaderLookup } from './signature_claim.js'
import { S3Error } from './errors.js'
import { objectNameError } from './object_names.js'
import type { ByteRange } from '../http/ranges.js'
import type { Xml } from './xml.js'

/** A verified request, and the vault for which it is. The vault's state allows the operation. */
export interface S3Call {
  store: ObjectStore
  vault: Vault
  key: AccessKey
  method: string
  /** Path exactly as the client sent it. Some responses repeat it. */
  path: string
  /** Object name. Empty if the request is for the vault or the service itself. */
  name: string
  /** Decoded query parameters by name. Names keep their case. */
  query: ReadonlyMap<string, string>
  header: HeaderLookup
  /** Headers with names in lower case. */
  headers: ReadonlyMap<string, string>
  body: RequestBody
  /** Streams an object's bytes. The stream fails if the client disconnects. */
  readWhileConnected(object: StoredObject, range?: ByteRange): AsyncIterable<Buffer>
}

/** The body is XML or an object's bytes, or there is none. */
export interface S3Response {
  /** Default 200. */
  status?: number
  headers?: Record<string, string>
  xml?: [root: string, content: Xml]
  object?: { stored: StoredObject; range?: ByteRange }
}

/** Returns the headers with names in lower case. Repeated headers are joined by commas. */
export function requestHeaders(request: IncomingMessage): Map<string, string> {
  const headers = new Map<string, string>()
  for (let at = 0; at < request.rawHeaders.length; at += 2) {
    const name = request.rawHeaders[at].toLowerCase()
    const value = request.rawHeaders[at + 1]
    headers.set(name, headers.has(name) ? `${headers.get(name)},${value}` : value)
  }
  return headers
}

export function readQueryNumber(
  call: S3Call,
  name: string,
  { least, max, otherwise }: { least: number; max: number; otherwise: number }
): number {
  const text = call.query.get(name)
  if (text === undefined || text === '') return otherwise
  const value = Number(text)
  if (!/^\d{1,10}$/.test(text) || value < least) {
    throw new S3Error('InvalidArgument', `${name} must be a number of ${least} or more.`)
  }
  return Math.min(value, max)
}

/**
 * Loads the object that `x-amz-copy-source` names.
 * @throws S3Error. An object in another vault gets the same error as a vault that does not exist
 */
export async function loadCopySource(call: S3Call): Promise<StoredObject> {
  const [path, query = ''] = call.header('x-amz-copy-source')!.split('?')
  if (query && query !== 'versionId=null') {
    throw new S3Error('NotImplemented', 'Versions of objects are not supported.')
  }
  const [, bucket, name] = /^\/?([^/]*)\/?(.*)$/s.exec(decodePercent(path))!
  if (bucket !== call.vault.key) throw copyFromOtherVaultError()
  const fault = objectNameError(name)
  if (fault) throw fault
  const stored = await call.store.head(call.vault, name)
  if (!stored) throw noSuchKeyError(name)
  return stored
}

export function noSuchKeyError(name: string): S3Error {
  return new S3Error('NoSuchKey', 'The specified key does not exist.', { Key: name })
}

export function copyFromOtherVaultError(): S3Error {
  return new S3Error(
    'AccessDenied',
    'The specified bucket does not exist, or this access key belongs to another vault. The name of the bucket is the key of your vault.'
  )
}

/** Encodes text as UTF-8 and returns one character for each byte. Header values in Node have this form. */
export function utf8AsLatin1(text: string): string {
  return Buffer.from(text).toString('latin1')
}
