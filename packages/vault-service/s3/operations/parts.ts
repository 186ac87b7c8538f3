import type { Checksums, MultipartUpload } from '../../types.js'
import { readText } from '../body.js'
import { loadCopySource, type S3Response, type S3Call } from '../call.js'
import {
  checksumAlgorithms,
  checksumOfParts,
  checksumElementName,
  checksumHeaderName,
  createChecksumHasher,
  checksumTypesOf,
  type ChecksumHasher,
} from '../checksums.js'
import { writeConditionOf, stripQuotes } from '../preconditions.js'
import { S3Error } from '../errors.js'
import { assertSupportedHeaders } from '../object_headers.js'
import type { ByteRange } from '../../http/ranges.js'
import { uriEncodePath } from '../signature.js'
import { parseXml, type XmlElement } from '../xml.js'
import {
  parseAnnouncedChecksum,
  checksumElements,
  partChecksumHeaders,
  loadUpload,
  type MultipartChecksumKind,
} from './uploads.js'
import { beginCopy } from './copy_limit.js'
import { assertCopyConditions, announcedBodySize } from './write.js'

export async function uploadPart(call: S3Call): Promise<S3Response> {
  const { store, vault, body } = call
  assertSupportedHeaders(call)
  const number = partNumber(call)
  const upload = await loadUpload(call)
  const announced = parseAnnouncedChecksum(upload)
  if (announced && body.algorithm && body.algorithm !== announced.algorithm) {
    throw new S3Error(
      'InvalidRequest',
      `This upload was started with ${announced.algorithm}, but the part has ${body.algorithm}.`
    )
  }
  if (announced) body.compute(announced.algorithm)
  const received = await store.receive(vault, body, announcedBodySize(call))
  const part = await store.putPart(vault, upload.id, number, received, body.checksums)
  return { headers: { etag: `"${part.etag}"`, ...partChecksumHeaders(body.checksums) } }
}

/** Handles UploadPartCopy, which creates a part from the bytes of another object. */
export async function copyPart(call: S3Call): Promise<S3Response> {
  const end = beginCopy(call)
  try {
    return await copyPartNow(call)
  } finally {
    end()
  }
}

async function copyPartNow(call: S3Call): Promise<S3Response> {
  const { store, vault } = call
  assertSupportedHeaders(call)
  const number = partNumber(call)
  const upload = await loadUpload(call)
  const from = await loadCopySource(call)
  assertCopyConditions(call, from)
  const range = copyRange(call, from.size)
  const size = range ? range.end - range.start + 1 : from.size
  const announced = parseAnnouncedChecksum(upload)
  const digest = announced && createChecksumHasher(announced.algorithm)
  const source = call.readWhileConnected(from, range)
  const received = await store.receive(vault, digest ? digested(source, digest) : source, size)
  const checksums: Checksums = announced
    ? { [announced.algorithm]: digest!.digest().toString('base64') }
    : {}
  const part = await store.putPart(vault, upload.id, number, received, checksums)
  const result = {
    ETag: `"${part.etag}"`,
    LastModified: part.modifiedAt.toISOString(),
    ...checksumElements(checksums),
  }
  return { xml: ['CopyPartResult', result] }
}

async function* digested(
  source: AsyncIterable<Buffer>,
  digest: ChecksumHasher
): AsyncGenerator<Buffer> {
  for await (const bytes of source) {
    digest.update(bytes)
    yield bytes
  }
}

function partNumber(call: S3Call): number {
  const text = call.query.get('partNumber') ?? ''
  const number = Number(text)
  if (!/^\d{1,5}$/.test(text) || number < 1 || number > MAX_PARTS) {
    throw new S3Error('InvalidArgument', 'partNumber must be from 1 to 10000.', {
      ArgumentName: 'partNumber',
      ArgumentValue: text,
    })
  }
  return number
}

/** Parses `x-amz-copy-source-range`. Unlike in `Range`, both ends are required, and both must be within the object. */
function copyRange(call: S3Call, size: number): ByteRange | undefined {
  const text = call.header('x-amz-copy-source-range')
  if (text === undefined) return undefined
  const match = /^bytes=(\d{1,15})-(\d{1,15})$/.exec(text)
  const [start, end] = [Number(match?.[1]), Number(match?.[2])]
  if (match && start <= end && end < size) return { start, end }
  if (match && start <= end)
    throw new S3Error('InvalidRange', 'The requested range is outside the source object.')
  throw new S3Error(
    'InvalidArgument',
    `x-amz-copy-source-range must have the form bytes=0-${size - 1}.`
  )
}

const MAX_PARTS = 10_000

interface Named {
  number: number
  etag: string
  checksums: Checksums
}

/**
 * Completes a multipart upload in one commit, which is fast for any size. S3 sends white space before its response, to
 * keep the connection alive. Here that is unnecessary, so the status is always correct.
 */
export async function completeUpload(call: S3Call): Promise<S3Response> {
  const { store, vault } = call
  const named = namedParts(
    parseXml(await readText(call.body, 2 * 1_024 ** 2), 'CompleteMultipartUpload', 8 * MAX_PARTS)
  )
  const upload = await loadUpload(call)
  const checksums = await wholeChecksums(call, upload, named)
  const stored = await store.completeUpload(
    vault,
    upload.id,
    named,
    writeConditionOf(call),
    checksums
  )
  const content = {
    Location: `/${vault.key}/${uriEncodePath(stored.name)}`,
    Bucket: vault.key,
    Key: stored.name,
    ETag: `"${stored.etag}"`,
    ...checksumElements(stored.checksums),
  }
  return { xml: ['CompleteMultipartUploadResult', content] }
}

function namedParts(list: XmlElement): Named[] {
  const parts = list.all('Part').map((part) => ({
    number: Number(part.text('PartNumber')?.trim()),
    etag: stripQuotes(part.text('ETag') ?? ''),
    checksums: Object.fromEntries(
      checksumAlgorithms.flatMap((algorithm) => {
        const value = part.text(checksumElementName(algorithm))?.trim()
        return value ? [[algorithm, value]] : []
      })
    ),
  }))
  const isWhole = parts.every(({ number, etag }) => Number.isInteger(number) && etag)
  if (!parts.length || parts.length > MAX_PARTS || !isWhole) {
    throw new S3Error('MalformedXML', 'List 1 to 10000 parts, each with PartNumber and ETag.')
  }
  return parts
}

/**
 * Checks the parts' checksums that the client sent against the stored ones. Returns the checksums of the whole object.
 */
async function wholeChecksums(
  call: S3Call,
  upload: MultipartUpload,
  named: Named[]
): Promise<Checksums> {
  const announced = parseAnnouncedChecksum(upload) ?? announcedAtCompletion(call)
  if (!announced && named.every(({ checksums }) => !Object.keys(checksums).length)) return {}
  const known = await allParts(call, upload)
  // The upload was already completed. The store then returns the same response again, and needs no checksums.
  if (!known.size) return {}
  for (const { number, checksums } of named) {
    const part = known.get(number)
    const differing = Object.keys(checksums).find((one) => part?.checksums[one] !== checksums[one])
    if (differing) {
      throw new S3Error('InvalidPart', `Part ${number} has a different ${differing}.`)
    }
  }
  return announced ? wholeOf(call, announced, named, known) : {}
}

type Known = Map<number, { size: number; checksums: Checksums }>

function wholeOf(
  call: S3Call,
  { algorithm, type }: MultipartChecksumKind,
  named: Named[],
  known: Known
): Checksums {
  const parts = named.map(({ number }) => {
    const part = known.get(number)
    return { checksum: part?.checksums[algorithm], size: part?.size ?? 0 }
  })
  const isWhole = parts.every((part): part is { checksum: string; size: number } =>
    Boolean(part.checksum)
  )
  if (!isWhole) return {}
  const value = checksumOfParts(algorithm, type, parts as { checksum: string; size: number }[])
  const sent = call.header(checksumHeaderName(algorithm))
  if (sent !== undefined && sent !== value && sent !== value.replace(/-\d+$/, '')) {
    throw new S3Error('BadDigest', `The ${algorithm} you specified did not match the object.`)
  }
  return { [algorithm]: value, type }
}

/**
 * Returns the algorithm and type of the whole object's checksum, if the client sends this checksum only when it
 * completes the upload.
 */
function announcedAtCompletion(call: S3Call): MultipartChecksumKind | undefined {
  const algorithm = checksumAlgorithms.find(
    (one) => call.header(checksumHeaderName(one)) !== undefined
  )
  if (!algorithm) return undefined
  const requestedType = call.header('x-amz-checksum-type')?.toUpperCase()
  const type =
    checksumTypesOf(algorithm).find((one) => one === requestedType) ?? checksumTypesOf(algorithm)[0]
  return { algorithm, type }
}

async function allParts(call: S3Call, upload: MultipartUpload): Promise<Known> {
  const known: Known = new Map()
  for (let after = 0; ;) {
    const page = await call.store.parts(call.vault, upload.id, after, 1_000)
    for (const part of page) known.set(part.number, part)
    if (page.length < 1_000) return known
    after = page.at(-1)!.number
  }
}
