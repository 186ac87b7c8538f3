import type { ObjectListing, StoredObject } from '../../types.js'
import { readQueryNumber, type S3Response, type S3Call } from '../call.js'
import { S3Error } from '../errors.js'
import { uriEncodePath } from '../signature.js'
import type { Xml } from '../xml.js'
import { bucketOwner } from './buckets.js'

export const MAX_KEYS = 1_000

export function nameEncoderFor(call: S3Call): (text: string) => string {
  const type = call.query.get('encoding-type')
  if (type === undefined || type === '') return (text) => text
  if (type !== 'url')
    throw new S3Error('InvalidArgument', 'The only supported encoding-type is url.')
  return uriEncodePath
}

export function readQueryText(call: S3Call, name: string): string | undefined {
  const text = call.query.get(name)
  if (text?.includes('\0')) throw new S3Error('InvalidArgument', `${name} contains a zero byte.`)
  return text || undefined
}

/** Handles ListObjects, version 1. */
export async function listObjects(call: S3Call): Promise<S3Response> {
  const marker = readQueryText(call, 'marker')
  const { page, common, encoded } = await list(call, marker)
  const content = {
    ...common,
    Marker: encoded(marker ?? ''),
    NextMarker: page.next && encoded(page.next),
    Contents: page.objects.map((object) => ({
      ...entry(object, encoded),
      Owner: bucketOwner(call),
    })),
    CommonPrefixes: page.prefixes.map((prefix) => ({ Prefix: encoded(prefix) })),
  }
  return { xml: ['ListBucketResult', content] }
}

export async function listObjectsV2(call: S3Call): Promise<S3Response> {
  const startAfter = readQueryText(call, 'start-after')
  const token = call.query.get('continuation-token')
  const after = token ? readToken(token) : startAfter
  const { page, common, encoded } = await list(call, after)
  const withOwner = call.query.get('fetch-owner') === 'true'
  const content = {
    ...common,
    KeyCount: page.objects.length + page.prefixes.length,
    ContinuationToken: token,
    NextContinuationToken: page.next && Buffer.from(page.next).toString('base64url'),
    StartAfter: startAfter && encoded(startAfter),
    Contents: page.objects.map((object) => ({
      ...entry(object, encoded),
      Owner: withOwner ? bucketOwner(call) : undefined,
    })),
    CommonPrefixes: page.prefixes.map((prefix) => ({ Prefix: encoded(prefix) })),
  }
  return { xml: ['ListBucketResult', content] }
}

async function list(call: S3Call, after: string | undefined) {
  const encoded = nameEncoderFor(call)
  const limit = readQueryNumber(call, 'max-keys', { least: 0, max: MAX_KEYS, otherwise: MAX_KEYS })
  const prefix = readQueryText(call, 'prefix')
  const delimiter = readQueryText(call, 'delimiter')
  const page: ObjectListing =
    limit === 0
      ? { objects: [], prefixes: [] }
      : await call.store.list(call.vault, { prefix, delimiter, after, limit })
  const common = {
    Name: call.vault.key,
    Prefix: encoded(prefix ?? ''),
    Delimiter: delimiter && encoded(delimiter),
    MaxKeys: limit,
    EncodingType: call.query.get('encoding-type') || undefined,
    IsTruncated: page.next !== undefined,
  }
  return { page, common, encoded }
}

function entry(stored: StoredObject, encoded: (text: string) => string): Record<string, Xml> {
  return {
    Key: encoded(stored.name),
    LastModified: stored.modifiedAt.toISOString(),
    ETag: `"${stored.etag}"`,
    Size: stored.size,
    StorageClass: 'STANDARD',
  }
}

/** Accepts each name that a list can end at. This includes U+FFFE and U+FFFF, which names could contain in the past. */
function readToken(token: string): string {
  const name = Buffer.from(token, 'base64url').toString()
  if (!name || /\p{Cc}/u.test(name) || Buffer.from(name).toString('base64url') !== token) {
    throw new S3Error('InvalidArgument', 'The continuation token provided is incorrect.')
  }
  return name
}
