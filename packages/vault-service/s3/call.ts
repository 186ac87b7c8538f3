import type { IncomingMessage } from 'node:http'
import type { AccessKey, ObjectStore, StoredObject, Vault } from '../types.js'
import type { Body } from './body.js'
import { decodePercent } from './address.js'
import type { HeaderLookup } from './signature_claim.js'
import { S3Error } from './errors.js'
import { objectNameError } from './object_names.js'
import type { Range } from '../http/ranges.js'
import type { Xml } from './xml.js'

/** A request whose signature is right, of a vault that serves it. */
export interface S3Call {
  store: ObjectStore
  vault: Vault
  key: AccessKey
  method: string
  /** As it was sent, for answers that repeat it. */
  path: string
  /** Of the object; empty for the vault itself. */
  name: string
  /** By name as it was sent. */
  query: ReadonlyMap<string, string>
  header: HeaderLookup
  /** All headers, names in lower case. */
  headers: ReadonlyMap<string, string>
  body: Body
}

/** What is answered: XML, an object's bytes, or nothing. */
export interface S3Response {
  /** 200 unless said. */
  status?: number
  headers?: Record<string, string>
  /** Its root and what is in it. */
  xml?: [root: string, content: Xml]
  object?: { stored: StoredObject; range?: Range }
}

/** Values of all headers by name in lower case; those that were sent several times with commas between. */
export function requestHeaders(request: IncomingMessage): Map<string, string> {
  const headers = new Map<string, string>()
  for (let at = 0; at < request.rawHeaders.length; at += 2) {
    const name = request.rawHeaders[at].toLowerCase()
    const value = request.rawHeaders[at + 1]
    headers.set(name, headers.has(name) ? `${headers.get(name)},${value}` : value)
  }
  return headers
}

/** A number of the query, e.g. `max-keys`. */
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

/** The object that `x-amz-copy-source` names; refuses what is not in this vault as if it were not there. */
export async function loadCopySource(call: S3Call): Promise<StoredObject> {
  const [path, query = ''] = call.header('x-amz-copy-source')!.split('?')
  if (query && query !== 'versionId=null') {
    throw new S3Error('NotImplemented', 'Versions of objects are not supported.')
  }
  const [, bucket, name] = /^\/?([^/]*)\/?(.*)$/s.exec(decodePercent(path))!
  if (bucket !== call.vault.key) throw otherVaultError()
  const fault = objectNameError(name)
  if (fault) throw fault
  const stored = await call.store.head(call.vault, name)
  if (!stored) throw noSuchKeyError(name)
  return stored
}

export function noSuchKeyError(name: string): S3Error {
  return new S3Error('NoSuchKey', 'The specified key does not exist.', { Key: name })
}

export function otherVaultError(): S3Error {
  return new S3Error(
    'AccessDenied',
    'The specified bucket does not exist, or this access key belongs to another vault. The name of the bucket is the key of your vault.'
  )
}

/** Bytes of a text one to a character, as headers carry them. */
export function utf8AsLatin1(text: string): string {
  return Buffer.from(text).toString('latin1')
}
