import type { MultipartUpload } from '../../types.js'
import { readQueryNumber, type S3Response, type S3Call } from '../call.js'
import {
  parseChecksumAlgorithm,
  checksumElementName,
  checksumHeaderName,
  checksumTypesOf,
  type ChecksumAlgorithm,
  type ChecksumType,
} from '../checksums.js'
import { S3Error } from '../errors.js'
import { assertSupportedHeaders, readObjectMetadata } from '../object_headers.js'
import { assertFolderHasNoBody } from '../object_names.js'
import { bucketOwner } from './buckets.js'
import { nameEncoderFor, readQueryText } from './list.js'
import { announcedChecksumAlgorithm } from './write.js'

/**
 * Checksum algorithm of a multipart upload's parts, and checksum type of the whole object. It is stored as text such as
 * `CRC32 COMPOSITE`.
 */
export interface MultipartChecksumKind {
  algorithm: ChecksumAlgorithm
  type: ChecksumType
}

export function parseAnnouncedChecksum({
  checksum,
}: MultipartUpload): MultipartChecksumKind | undefined {
  if (!checksum) return undefined
  const [name, type] = checksum.split(' ')
  const algorithm = parseChecksumAlgorithm(name)
  return algorithm && { algorithm, type: (type as ChecksumType) ?? checksumTypesOf(algorithm)[0] }
}

function announcedIn(call: S3Call): MultipartChecksumKind | undefined {
  const algorithm = announcedChecksumAlgorithm(call)
  const requestedType = call.header('x-amz-checksum-type')?.toUpperCase()
  if (!algorithm) {
    if (requestedType)
      throw new S3Error(
        'InvalidRequest',
        'Send x-amz-checksum-algorithm together with the checksum type.'
      )
    return undefined
  }
  const types = checksumTypesOf(algorithm)
  const type = requestedType ? types.find((one) => one === requestedType) : types[0]
  if (type) return { algorithm, type }
  throw new S3Error(
    'InvalidRequest',
    `${algorithm} of an upload must be of the type ${types.join(' or ')}.`
  )
}

/**
 * Loads the multipart upload that the query names.
 * @throws S3Error NoSuchUpload if it does not exist, or belongs to another object
 */
export async function loadUpload(call: S3Call): Promise<MultipartUpload> {
  const id = call.query.get('uploadId') ?? ''
  const upload = /^[\w-]{1,128}$/.test(id) ? await call.store.upload(call.vault, id) : undefined
  if (upload?.name === call.name) return upload
  throw new S3Error(
    'NoSuchUpload',
    'The specified upload does not exist. It may have been aborted or completed.',
    {
      UploadId: id,
    }
  )
}

export async function createUpload(call: S3Call): Promise<S3Response> {
  assertSupportedHeaders(call)
  assertFolderHasNoBody(call.name, Infinity)
  const announcedChecksum = announcedIn(call)
  const { store, vault, name } = call
  const checksum = announcedChecksum && `${announcedChecksum.algorithm} ${announcedChecksum.type}`
  const upload = await store.beginUpload(vault, name, readObjectMetadata(call), checksum)
  return {
    headers: announcedChecksum && {
      'x-amz-checksum-algorithm': announcedChecksum.algorithm,
      'x-amz-checksum-type': announcedChecksum.type,
    },
    xml: ['InitiateMultipartUploadResult', { Bucket: vault.key, Key: name, UploadId: upload.id }],
  }
}

export async function abortUpload(call: S3Call): Promise<S3Response> {
  const upload = await loadUpload(call)
  await call.store.abortUpload(call.vault, upload.id)
  return { status: 204 }
}

const MAX_RESULTS = 1_000

export async function listParts(call: S3Call): Promise<S3Response> {
  const upload = await loadUpload(call)
  const encoded = nameEncoderFor(call)
  const limit = readQueryNumber(call, 'max-parts', {
    least: 0,
    max: MAX_RESULTS,
    otherwise: MAX_RESULTS,
  })
  const marker = readQueryNumber(call, 'part-number-marker', {
    least: 0,
    max: 10_000,
    otherwise: 0,
  })
  const rows = limit ? await call.store.parts(call.vault, upload.id, marker, limit + 1) : []
  const parts = rows.slice(0, limit)
  const announcedChecksum = parseAnnouncedChecksum(upload)
  const content = {
    Bucket: call.vault.key,
    Key: encoded(upload.name),
    UploadId: upload.id,
    PartNumberMarker: marker,
    NextPartNumberMarker: parts.at(-1)?.number ?? marker,
    MaxParts: limit,
    IsTruncated: rows.length > parts.length,
    Initiator: bucketOwner(call),
    Owner: bucketOwner(call),
    StorageClass: 'STANDARD',
    ChecksumAlgorithm: announcedChecksum?.algorithm,
    ChecksumType: announcedChecksum?.type,
    Part: parts.map((part) => ({
      PartNumber: part.number,
      LastModified: part.modifiedAt.toISOString(),
      ETag: `"${part.etag}"`,
      Size: part.size,
      ...checksumElements(part.checksums),
    })),
  }
  return { xml: ['ListPartsResult', content] }
}

export async function listUploads(call: S3Call): Promise<S3Response> {
  const encoded = nameEncoderFor(call)
  const limit = readQueryNumber(call, 'max-uploads', {
    least: 0,
    max: MAX_RESULTS,
    otherwise: MAX_RESULTS,
  })
  const prefix = readQueryText(call, 'prefix')
  const keyMarker = readQueryText(call, 'key-marker')
  const idMarker = keyMarker && readQueryText(call, 'upload-id-marker')
  if (call.query.get('delimiter')) {
    throw new S3Error('NotImplemented', 'Uploads cannot be grouped with a delimiter.')
  }
  // Without an upload ID, skips all uploads with the marker's name. No name sorts between the marker and the marker
  // followed by U+0001, because names cannot contain U+0001.
  const after = keyMarker
    ? idMarker
      ? { name: keyMarker, id: idMarker }
      : { name: `${keyMarker}\u0001`, id: '' }
    : undefined
  const rows = limit
    ? await call.store.uploads(call.vault, { prefix, after, limit: limit + 1 })
    : []
  const uploads = rows.slice(0, limit)
  const last = rows.length > limit ? uploads.at(-1) : undefined
  const content = {
    Bucket: call.vault.key,
    KeyMarker: encoded(keyMarker ?? ''),
    UploadIdMarker: idMarker ?? '',
    NextKeyMarker: last && encoded(last.name),
    NextUploadIdMarker: last?.id,
    Prefix: encoded(prefix ?? ''),
    EncodingType: call.query.get('encoding-type') || undefined,
    MaxUploads: limit,
    IsTruncated: last !== undefined,
    Upload: uploads.map((upload) => ({
      Key: encoded(upload.name),
      UploadId: upload.id,
      Initiator: bucketOwner(call),
      Owner: bucketOwner(call),
      StorageClass: 'STANDARD',
      Initiated: upload.startedAt.toISOString(),
    })),
  }
  return { xml: ['ListMultipartUploadsResult', content] }
}

export function checksumElements(checksums: Record<string, string>): Record<string, string> {
  const { type, ...values } = checksums
  const named = Object.entries(values).map(([name, value]) => [
    checksumElementName(name as ChecksumAlgorithm),
    value,
  ])
  return { ...Object.fromEntries(named), ...(type && { ChecksumType: type }) }
}

export function partChecksumHeaders(checksums: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(checksums).map(([name, value]) => [
      checksumHeaderName(name as ChecksumAlgorithm),
      value,
    ])
  )
}
