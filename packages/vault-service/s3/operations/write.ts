import type { ObjectMetadata, StoredObject } from '../../types.js'
import {
  parseChecksumAlgorithm,
  checksumElementName,
  createChecksumHasher,
  type ChecksumAlgorithm,
} from '../checksums.js'
import { loadCopySource, noSuchKeyError, type S3Response, type S3Call } from '../call.js'
import {
  writeConditionOf,
  checkS3Preconditions,
  preconditionFailedError,
  stripQuotes,
} from '../preconditions.js'
import { S3Error } from '../errors.js'
import { assertSupportedHeaders, checksumHeaders, readObjectMetadata } from '../object_headers.js'
import { readText } from '../body.js'
import { readForCopy } from './copy_limit.js'
import { assertFolderHasNoBody, objectNameError } from '../object_names.js'
import { parseXml, type Xml } from '../xml.js'

/** @throws S3Error MissingContentLength if the client did not announce the size */
export function announcedBodySize({ body }: S3Call): number {
  if (body.size === undefined) {
    throw new S3Error('MissingContentLength', 'You must provide the Content-Length header.')
  }
  return body.size
}

export async function putObject(call: S3Call): Promise<S3Response> {
  const { store, vault, body } = call
  assertSupportedHeaders(call)
  const metadata = readObjectMetadata(call)
  const condition = writeConditionOf(call)
  const size = announcedBodySize(call)
  assertFolderHasNoBody(call.name, size)
  const received = await store.receive(vault, body, size)
  const checksums = withType(body.checksums)
  const stored = await store.put(vault, call.name, received, { ...metadata, checksums }, condition)
  return { headers: { etag: `"${stored.etag}"`, ...checksumHeaders(stored) } }
}

function withType(checksums: Record<string, string>): Record<string, string> {
  return Object.keys(checksums).length ? { ...checksums, type: 'FULL_OBJECT' } : {}
}

export async function copyObject(call: S3Call): Promise<S3Response> {
  assertSupportedHeaders(call)
  const from = await loadCopySource(call)
  assertCopyConditions(call, from)
  assertFolderHasNoBody(call.name, from.size)
  const directive = call.header('x-amz-metadata-directive')?.toUpperCase() ?? 'COPY'
  if (directive !== 'COPY' && directive !== 'REPLACE') {
    throw new S3Error('InvalidArgument', 'x-amz-metadata-directive must be COPY or REPLACE.')
  }
  if (directive === 'COPY' && from.name === call.name) {
    throw new S3Error(
      'InvalidRequest',
      'Copying an object onto itself changes nothing. Send x-amz-metadata-directive: REPLACE to change its metadata.'
    )
  }
  const baseMetadata = directive === 'REPLACE' ? readObjectMetadata(call) : metadataOf(from)
  const metadata = { ...baseMetadata, checksums: await checksumsFor(call, from) }
  const stored = await call.store.copy(
    from,
    call.vault,
    call.name,
    metadata,
    readForCopy(call, from),
    writeConditionOf(call)
  )
  return {
    xml: ['CopyObjectResult', buildCopyResultXml(stored.etag, stored.modifiedAt, stored.checksums)],
  }
}

export function buildCopyResultXml(etag: string, at: Date, checksums: Record<string, string>): Xml {
  const { type, ...values } = checksums
  const named = Object.entries(values).map(([name, value]) => [
    checksumElementName(name as ChecksumAlgorithm),
    value,
  ])
  return {
    ETag: `"${etag}"`,
    LastModified: at.toISOString(),
    ...Object.fromEntries(named),
    ChecksumType: type,
  }
}

/**
 * @throws S3Error 412 if a condition for the source of the copy does not hold. A read with the same conditions may
 *   respond with 304 instead
 */
export function assertCopyConditions(call: S3Call, from: StoredObject): void {
  if (checkS3Preconditions(call, from, 'x-amz-copy-source-') !== 'go') {
    throw preconditionFailedError('a condition on the source of the copy')
  }
}

function metadataOf({ type, headers, meta }: StoredObject): Omit<ObjectMetadata, 'checksums'> {
  return { type, headers, meta }
}

/**
 * Returns the source object's stored checksums of the type FULL_OBJECT. If the client requests an algorithm that is not
 * among them, computes and returns only that checksum.
 */
async function checksumsFor(call: S3Call, from: StoredObject): Promise<Record<string, string>> {
  const known = from.checksums.type === 'FULL_OBJECT' ? from.checksums : {}
  const wanted = announcedChecksumAlgorithm(call)
  if (!wanted || known[wanted]) return known
  const digest = createChecksumHasher(wanted)
  for await (const bytes of readForCopy(call, from)) digest.update(bytes)
  return { [wanted]: digest.digest().toString('base64'), type: 'FULL_OBJECT' }
}

export function announcedChecksumAlgorithm(call: S3Call): ChecksumAlgorithm | undefined {
  const name = call.header('x-amz-checksum-algorithm')
  if (name === undefined) return undefined
  const algorithm = parseChecksumAlgorithm(name)
  if (algorithm) return algorithm
  throw new S3Error('InvalidRequest', `The checksum algorithm ${name} is not supported.`)
}

export async function deleteObject(call: S3Call): Promise<S3Response> {
  assertSupportedHeaders(call)
  const { store, vault, name } = call
  const match = call.header('if-match')
  const etag = match === undefined || match === '*' ? undefined : stripQuotes(match)
  const removed = await store.remove(vault, [name], etag)
  if (match !== undefined && !removed.length) {
    throw (await store.head(vault, name))
      ? preconditionFailedError('its ETag differs')
      : noSuchKeyError(name)
  }
  return { status: 204 }
}

const MAX_DELETED_OBJECTS = 1_000

/**
 * Deletes up to 1,000 objects. Objects that do not exist count as deleted, unless the client sent their ETag as a
 * condition.
 * @throws S3Error InvalidRequest without a checksum, MalformedXML for an empty or too long list
 */
export async function deleteObjects(call: S3Call): Promise<S3Response> {
  if (!call.body.isVerifiable) {
    throw new S3Error('InvalidRequest', 'Send Content-MD5 or another checksum of the list.')
  }
  const list = parseXml(await readText(call.body, 1_024 ** 2), 'Delete', 8 * MAX_DELETED_OBJECTS)
  const wanted = list.all('Object').map((object) => ({
    name: object.text('Key') ?? '',
    etag: object.text('ETag'),
    version: object.text('VersionId') || undefined,
    isOnOther: ['LastModifiedTime', 'Size'].some((one) => object.text(one) !== undefined),
  }))
  if (!wanted.length || wanted.length > MAX_DELETED_OBJECTS || wanted.some(({ name }) => !name)) {
    throw new S3Error(
      'MalformedXML',
      `List 1 to ${MAX_DELETED_OBJECTS} objects, each with its Key.`
    )
  }
  const errors: Xml[] = []
  const plain: string[] = []
  for (const { name, etag, version, isOnOther } of wanted) {
    if (version && version !== 'null') {
      const message = 'Versions of objects are not supported.'
      errors.push({ Key: name, VersionId: version, Code: 'NotImplemented', Message: message })
    } else if (isOnOther) {
      const message = 'The only supported condition of a deletion is an ETag.'
      errors.push({ Key: name, Code: 'NotImplemented', Message: message })
    } else if (objectNameError(name)) {
      // An object with an invalid name cannot exist, so the response lists it as deleted.
    } else if (etag === undefined) {
      plain.push(name)
    } else if (!(await call.store.remove(call.vault, [name], stripQuotes(etag))).length) {
      const message = 'At least one of the preconditions you specified did not hold.'
      errors.push({ Key: name, Code: 'PreconditionFailed', Message: message })
    }
  }
  if (plain.length) await call.store.remove(call.vault, plain)
  const failed = new Set(errors.map((error) => (error as { Key: string }).Key))
  const isQuiet = list.text('Quiet')?.trim().toLowerCase() === 'true'
  const gone = wanted.filter(({ name }) => !failed.has(name)).map(({ name }) => ({ Key: name }))
  return { xml: ['DeleteResult', { Deleted: isQuiet ? [] : gone, Error: errors }] }
}
