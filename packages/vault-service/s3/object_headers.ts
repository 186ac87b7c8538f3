import { safeContentType } from '../http/content_types.js'
import type { ObjectMetadata, ObjectHeaders, StoredObject, Vault } from '../types.js'
import { checksumAlgorithms, checksumHeaderName } from './checksums.js'
import { utf8AsLatin1, type S3Call } from './call.js'
import { S3Error } from './errors.js'

const METADATA_PREFIX = 'x-amz-meta-'

/** Maximum bytes of an object's metadata, names and values together (S3, "User-defined object metadata"). */
const MAX_METADATA_BYTES = 2_048

const storedHeaders: [keyof ObjectHeaders, header: string][] = [
  ['cacheControl', 'cache-control'],
  ['contentDisposition', 'content-disposition'],
  ['contentEncoding', 'content-encoding'],
  ['contentLanguage', 'content-language'],
  ['expires', 'expires'],
]

/**
 * Headers that request unsupported features. `assertSupportedHeaders` rejects them, because the client would rely on
 * the feature. `x-amz-acl` is missing, because the vault's settings decide who may read.
 */
const unsupportedHeaders: [beginning: string, message: string][] = [
  ['x-amz-server-side-encryption', 'Encryption with your own keys is not supported.'],
  ['x-amz-copy-source-server-side-encryption', 'Encryption with your own keys is not supported.'],
  ['x-amz-object-lock-', 'Object locks are not supported.'],
  ['x-amz-bucket-object-lock-', 'Object locks are not supported.'],
  ['x-amz-tagging', 'Object tags are not supported.'],
  ['x-amz-grant-', 'ACLs are not supported. Read access is a setting of the vault.'],
  ['x-amz-website-redirect-location', 'Website redirects are not supported.'],
  ['x-amz-if-match-', 'The only supported condition of a deletion is If-Match with an ETag.'],
  ['x-amz-write-offset-bytes', 'Appending to objects is not supported.'],
]

/**
 * Values of these headers that are accepted. All except `AES256` request no feature. Backup programs send `AES256` with
 * each object. Berth nevertheless does not encrypt objects, and the guide says so.
 */
const acceptedValues: Record<string, RegExp> = {
  'x-amz-server-side-encryption': /^(AES256)?$/,
  'x-amz-server-side-encryption-bucket-key-enabled': /^false$/i,
  'x-amz-object-lock-legal-hold': /^OFF$/,
  'x-amz-bucket-object-lock-enabled': /^false$/i,
  'x-amz-tagging': /^$/,
  'x-amz-tagging-directive': /^(COPY|REPLACE)$/i,
}

/** @throws S3Error NotImplemented if a header requests an unsupported feature, or InvalidStorageClass */
export function assertSupportedHeaders({ headers }: Pick<S3Call, 'headers'>): void {
  for (const [name, value] of headers) {
    const unsupported = unsupportedHeaders.find(([beginning]) => name.startsWith(beginning))
    if (!unsupported || acceptedValues[name]?.test(value.trim())) continue
    throw new S3Error(
      'NotImplemented',
      `A header you provided implies functionality that is not implemented. ${unsupported[1]} Leave out ${name}.`
    )
  }
  const storage = headers.get('x-amz-storage-class')
  if (storage !== undefined && storage !== 'STANDARD') {
    throw new S3Error(
      'InvalidStorageClass',
      'The storage class you specified is not valid. The only storage class is STANDARD.'
    )
  }
}

const ownerHeaders = ['x-amz-expected-bucket-owner', 'x-amz-source-expected-bucket-owner']

/** @throws S3Error AccessDenied if the client expects another account to own the vault */
export function assertExpectedOwner(headers: ReadonlyMap<string, string>, vault: Vault): void {
  for (const name of ownerHeaders) {
    const owner = headers.get(name)
    if (owner === undefined || owner === String(vault.accountId)) continue
    throw new S3Error('AccessDenied', 'The owner of this vault is not the expected bucket owner.')
  }
}

export function readObjectMetadata(call: Pick<S3Call, 'header' | 'headers'>): ObjectMetadata {
  const headers: ObjectHeaders = {}
  for (const [name, header] of storedHeaders) {
    const value = call.header(header)
    if (value) headers[name] = value
  }
  // Removes `aws-chunked`, which describes only the transfer, not the stored object.
  const codings = headers.contentEncoding?.split(',').map((coding) => coding.trim())
  headers.contentEncoding = codings?.filter((one) => one && one !== 'aws-chunked').join(', ')
  if (!headers.contentEncoding) delete headers.contentEncoding
  return {
    type: call.header('content-type') || 'application/octet-stream',
    headers,
    meta: metaOf(call),
    checksums: {},
  }
}

function metaOf({ headers }: Pick<S3Call, 'headers'>): Record<string, string> {
  const meta = [...headers]
    .filter(([name]) => name.startsWith(METADATA_PREFIX))
    .map(([name, value]): [string, string] => [name.slice(METADATA_PREFIX.length), value])
  const length = meta.reduce((sum, [name, value]) => sum + name.length + value.length, 0)
  if (length > MAX_METADATA_BYTES) {
    throw new S3Error(
      'MetadataTooLarge',
      `Your metadata headers can have at most ${MAX_METADATA_BYTES} bytes.`
    )
  }
  return Object.fromEntries(meta)
}

const overridden = [
  'content-type',
  'content-language',
  'expires',
  'cache-control',
  'content-disposition',
  'content-encoding',
]

/**
 * Returns an object's response headers. All objects of the service have the same origin. So browsers must never run
 * scripts in them, whatever content type the request asks for.
 */
export function objectHeaders(stored: StoredObject, call: S3Call): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': safeContentType(stored.type),
    etag: `"${stored.etag}"`,
    'last-modified': stored.modifiedAt.toUTCString(),
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  }
  for (const [name, header] of storedHeaders) {
    const value = stored.headers[name]
    if (value !== undefined) headers[header] = headerText(value)
  }
  for (const [name, value] of Object.entries(stored.meta))
    headers[`${METADATA_PREFIX}${name}`] = headerText(value)
  for (const name of overridden) {
    const value = call.query.get(`response-${name}`)
    if (value !== undefined) headers[name] = headerText(utf8AsLatin1(value))
  }
  return headers
}

/**
 * Converts a stored value to a header value. Values that were stored with one character per byte stay unchanged. Others
 * are encoded as UTF-8.
 */
function headerText(text: string): string {
  if (/[\u0000-\u0008\u000a-\u001f\u007f]/.test(text)) {
    throw new S3Error('InvalidArgument', 'A header cannot have that value.')
  }
  return /[^\u0000-\u00ff]/.test(text) ? utf8AsLatin1(text) : text
}

export function checksumHeaders({
  checksums,
}: {
  checksums: Record<string, string>
}): Record<string, string> {
  const present = checksumAlgorithms.filter((algorithm) => checksums[algorithm] !== undefined)
  if (!present.length) return {}
  return {
    ...Object.fromEntries(
      present.map((algorithm) => [checksumHeaderName(algorithm), checksums[algorithm]])
    ),
    'x-amz-checksum-type': checksums.type ?? 'FULL_OBJECT',
  }
}
