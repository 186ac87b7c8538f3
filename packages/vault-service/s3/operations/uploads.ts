import type { Upload } from '../../types.js'
import { numberOf, type Answer, type Call } from '../call.js'
import {
  algorithmOf,
  elementOf,
  headerOf,
  typesOf,
  type Algorithm,
  type ChecksumType,
} from '../checksums.js'
import { S3Error } from '../errors.js'
import { assertPossible, factsOf } from '../facts.js'
import { assertFits } from '../names.js'
import { owner } from './buckets.js'
import { encoderOf, textOf } from './list.js'
import { announced } from './write.js'

/** Which checksum an upload's parts have, and what is said of the whole. Kept as `CRC32 COMPOSITE`. */
export interface Announced {
  algorithm: Algorithm
  type: ChecksumType
}

export function announcedBy({ checksum }: Upload): Announced | undefined {
  if (!checksum) return undefined
  const [name, type] = checksum.split(' ')
  const algorithm = algorithmOf(name)
  return algorithm && { algorithm, type: (type as ChecksumType) ?? typesOf(algorithm)[0] }
}

function announcedIn(call: Call): Announced | undefined {
  const algorithm = announced(call)
  const said = call.header('x-amz-checksum-type')?.toUpperCase()
  if (!algorithm) {
    if (said)
      throw new S3Error(
        'InvalidRequest',
        'Send x-amz-checksum-algorithm together with the checksum type.'
      )
    return undefined
  }
  const types = typesOf(algorithm)
  const type = said ? types.find((one) => one === said) : types[0]
  if (type) return { algorithm, type }
  throw new S3Error(
    'InvalidRequest',
    `${algorithm} of an upload must be of the type ${types.join(' or ')}.`
  )
}

/** The upload that the query names, of this object. */
export async function uploadOf(call: Call): Promise<Upload> {
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

export async function createUpload(call: Call): Promise<Answer> {
  assertPossible(call)
  assertFits(call.name, Infinity)
  const said = announcedIn(call)
  const { store, vault, name } = call
  const checksum = said && `${said.algorithm} ${said.type}`
  const upload = await store.beginUpload(vault, name, factsOf(call), checksum)
  return {
    headers: said && {
      'x-amz-checksum-algorithm': said.algorithm,
      'x-amz-checksum-type': said.type,
    },
    xml: ['InitiateMultipartUploadResult', { Bucket: vault.key, Key: name, UploadId: upload.id }],
  }
}

export async function abortUpload(call: Call): Promise<Answer> {
  const upload = await uploadOf(call)
  await call.store.abortUpload(call.vault, upload.id)
  return { status: 204 }
}

const MAX_RESULTS = 1_000

export async function listParts(call: Call): Promise<Answer> {
  const upload = await uploadOf(call)
  const encoded = encoderOf(call)
  const limit = numberOf(call, 'max-parts', { least: 0, most: MAX_RESULTS, otherwise: MAX_RESULTS })
  const marker = numberOf(call, 'part-number-marker', { least: 0, most: 10_000, otherwise: 0 })
  const found = limit ? await call.store.parts(call.vault, upload.id, marker, limit + 1) : []
  const parts = found.slice(0, limit)
  const said = announcedBy(upload)
  const content = {
    Bucket: call.vault.key,
    Key: encoded(upload.name),
    UploadId: upload.id,
    PartNumberMarker: marker,
    NextPartNumberMarker: parts.at(-1)?.number ?? marker,
    MaxParts: limit,
    IsTruncated: found.length > parts.length,
    Initiator: owner(call),
    Owner: owner(call),
    StorageClass: 'STANDARD',
    ChecksumAlgorithm: said?.algorithm,
    ChecksumType: said?.type,
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

export async function listUploads(call: Call): Promise<Answer> {
  const encoded = encoderOf(call)
  const limit = numberOf(call, 'max-uploads', {
    least: 0,
    most: MAX_RESULTS,
    otherwise: MAX_RESULTS,
  })
  const prefix = textOf(call, 'prefix')
  const keyMarker = textOf(call, 'key-marker')
  const idMarker = keyMarker && textOf(call, 'upload-id-marker')
  if (call.query.get('delimiter')) {
    throw new S3Error('NotImplemented', 'Uploads cannot be grouped with a delimiter.')
  }
  // No name has U+0001: between it and the marker stands nothing.
  const after = keyMarker
    ? idMarker
      ? { name: keyMarker, id: idMarker }
      : { name: `${keyMarker}\u0001`, id: '' }
    : undefined
  const found = limit
    ? await call.store.uploads(call.vault, { prefix, after, limit: limit + 1 })
    : []
  const uploads = found.slice(0, limit)
  const last = found.length > limit ? uploads.at(-1) : undefined
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
      Initiator: owner(call),
      Owner: owner(call),
      StorageClass: 'STANDARD',
      Initiated: upload.startedAt.toISOString(),
    })),
  }
  return { xml: ['ListMultipartUploadsResult', content] }
}

/** Checksums as elements of S3's XML. */
export function checksumElements(checksums: Record<string, string>): Record<string, string> {
  const { type, ...values } = checksums
  const named = Object.entries(values).map(([name, value]) => [elementOf(name as Algorithm), value])
  return { ...Object.fromEntries(named), ...(type && { ChecksumType: type }) }
}

/** Checksums as headers, of a part. */
export function partHeaders(checksums: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(checksums).map(([name, value]) => [headerOf(name as Algorithm), value])
  )
}
