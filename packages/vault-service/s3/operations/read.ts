import { ifRangeMatches } from '../../http/preconditions.js'
import { parseRange, type ByteRange } from '../../http/ranges.js'
import type { StoredObject } from '../../types.js'
import { noSuchKeyError, type S3Response, type S3Call } from '../call.js'
import { checkS3Preconditions, preconditionFailedError } from '../preconditions.js'
import { S3Error } from '../errors.js'
import { checksumHeaders, objectHeaders } from '../object_headers.js'
import type { Xml } from '../xml.js'
import { checksumElements } from './uploads.js'

/**
 * Handles GetObject and HeadObject. Both responses have the same headers.
 * @throws S3Error NoSuchKey, PreconditionFailed, InvalidRange, InvalidPartNumber, InvalidArgument
 */
export async function readObject(call: S3Call): Promise<S3Response> {
  const stored = await call.store.head(call.vault, call.name)
  if (!stored) throw noSuchKeyError(call.name)
  const headers = objectHeaders(stored, call)
  const precondition = checkS3Preconditions(call, stored)
  if (precondition === 'failed') throw preconditionFailedError()
  if (precondition === 'unchanged') {
    delete headers['content-type']
    return { status: 304, headers }
  }
  const part = partOf(call, stored)
  const range = part?.range ?? rangeIn(call, stored)
  if (part) headers['x-amz-mp-parts-count'] = String(part.count)
  if (range) headers['content-range'] = `bytes ${range.start}-${range.end}/${stored.size}`
  else if (call.header('x-amz-checksum-mode')?.toUpperCase() === 'ENABLED') {
    Object.assign(headers, checksumHeaders(stored))
  }
  const length = range ? range.end - range.start + 1 : stored.size
  headers['content-length'] = String(length)
  return {
    status: range ? 206 : 200,
    headers,
    object: call.method === 'HEAD' ? undefined : { stored, range },
  }
}

function rangeIn(call: S3Call, stored: StoredObject): ByteRange | undefined {
  const isValid = ifRangeMatches(call.header('if-range'), `"${stored.etag}"`, stored.modifiedAt)
  const range = isValid ? parseRange(call.header('range'), stored.size) : 'all'
  if (range === 'none') {
    throw new S3Error(
      'InvalidRange',
      'The requested range is not satisfiable.',
      { ActualObjectSize: String(stored.size) },
      { 'content-range': `bytes */${stored.size}` }
    )
  }
  return range === 'all' ? undefined : range
}

function partOf(
  call: S3Call,
  { sizes, size }: StoredObject
): { range?: ByteRange; count: number } | undefined {
  const text = call.query.get('partNumber')
  if (text === undefined) return undefined
  const number = Number(text)
  if (!/^\d{1,5}$/.test(text) || number < 1) {
    throw new S3Error('InvalidArgument', 'partNumber must be from 1 to 10000.')
  }
  if (number > sizes.length)
    throw new S3Error('InvalidPartNumber', 'The requested part does not exist.')
  const start = sizes.slice(0, number - 1).reduce((sum, one) => sum + one, 0)
  const range = size ? { start, end: start + sizes[number - 1] - 1 } : undefined
  return { range, count: sizes.length }
}

const attributeNames = ['ETag', 'Checksum', 'ObjectParts', 'StorageClass', 'ObjectSize'] as const

export async function getObjectAttributes(call: S3Call): Promise<S3Response> {
  const wanted = (call.header('x-amz-object-attributes') ?? '').split(',').map((one) => one.trim())
  if (!wanted.every((one) => attributeNames.some((known) => known === one))) {
    throw new S3Error(
      'InvalidArgument',
      `x-amz-object-attributes must name one or more of ${attributeNames.join(', ')}.`
    )
  }
  const stored = await call.store.head(call.vault, call.name)
  if (!stored) throw noSuchKeyError(call.name)
  const { etag, sizes, size, checksums } = stored
  const attributes: Record<(typeof attributeNames)[number], Xml> = {
    ETag: etag,
    Checksum: Object.keys(checksums).length ? checksumElements(checksums) : undefined,
    ObjectParts: etag.includes('-') ? { PartsCount: sizes.length } : undefined,
    StorageClass: 'STANDARD',
    ObjectSize: size,
  }
  const selected = attributeNames.filter((name) => wanted.includes(name))
  return {
    headers: { 'last-modified': stored.modifiedAt.toUTCString() },
    xml: [
      'GetObjectAttributesResponse',
      Object.fromEntries(selected.map((name) => [name, attributes[name]])),
    ],
  }
}

/**
 * Returns an empty list. Tags are not supported, but aws-cli requests them before it copies.
 * @throws S3Error NoSuchKey if the object does not exist
 */
export async function getTagging(call: S3Call): Promise<S3Response> {
  if (!(await call.store.head(call.vault, call.name))) throw noSuchKeyError(call.name)
  return { xml: ['Tagging', { TagSet: '' }] }
}
