import type { S3Response, S3Call } from './call.js'
import type { S3Address } from './address.js'
import { S3Error } from './errors.js'
import {
  createBucket,
  getCors,
  getLocation,
  headBucket,
  listBuckets,
} from './operations/buckets.js'
import { listObjects, listObjectsV2 } from './operations/list.js'
import { completeUpload, copyPart, uploadPart } from './operations/parts.js'
import { getObjectAttributes, getTagging, readObject } from './operations/read.js'
import {
  getBucketAcl,
  getObjectAcl,
  getObjectLock,
  unsetSettingRequests,
} from './operations/settings.js'
import { abortUpload, createUpload, listParts, listUploads } from './operations/uploads.js'
import { copyObject, deleteObject, deleteObjects, putObject } from './operations/write.js'

export interface S3Operation {
  name: string
  method: string
  on: 'service' | 'vault' | 'object'
  needs?: string[]
  /** Optional query parameters of the operation, in addition to those that every request may have. */
  may?: string[]
  header?: string
  /**
   * Kind of change. A vault at its monthly limit accepts only operations with `removes`. Undefined: the operation only
   * reads.
   */
  changes?: 'adds' | 'removes'
  /** Set if the `x-amz-checksum-…` headers contain the checksum of the whole object, and not of this request's body. */
  checksumOfObject?: true
  run(call: S3Call): S3Response | Promise<S3Response>
}

const listing = ['prefix', 'delimiter', 'max-keys', 'encoding-type']
const overrides = ['type', 'language', 'expires', 'cache-control', 'disposition', 'encoding']
const reading = [
  'partNumber',
  'versionId',
  ...overrides.flatMap((name) => [`response-content-${name}`, `response-${name}`]),
]

const on = (
  where: S3Operation['on'],
  method: string,
  name: string,
  run: S3Operation['run'],
  rest: Partial<S3Operation> = {}
): S3Operation => ({ name, method, on: where, run, ...rest })

const uploading: Partial<S3Operation> = { needs: ['uploadId', 'partNumber'], changes: 'adds' }

/** Supported operations. The first one that matches a request handles it. docs/guides/vault_s3.md lists them. */
export const s3Operations: S3Operation[] = [
  on('service', 'GET', 'ListBuckets', listBuckets, {
    may: ['max-buckets', 'prefix', 'continuation-token', 'bucket-region'],
  }),
  on('vault', 'HEAD', 'HeadBucket', headBucket),
  on('vault', 'PUT', 'CreateBucket', createBucket, { changes: 'adds' }),
  on('vault', 'GET', 'GetBucketLocation', getLocation, { needs: ['location'] }),
  on('vault', 'GET', 'GetBucketAcl', getBucketAcl, { needs: ['acl'] }),
  ...unsetSettingRequests.map(({ parameter, name, run }) =>
    on('vault', 'GET', name, run, { needs: [parameter], may: ['id', 'continuation-token'] })
  ),
  on('vault', 'GET', 'GetBucketCors', getCors, { needs: ['cors'] }),
  on('vault', 'GET', 'ListMultipartUploads', listUploads, {
    needs: ['uploads'],
    may: ['prefix', 'delimiter', 'key-marker', 'upload-id-marker', 'max-uploads', 'encoding-type'],
  }),
  on('vault', 'GET', 'ListObjectsV2', listObjectsV2, {
    needs: ['list-type'],
    may: [...listing, 'start-after', 'continuation-token', 'fetch-owner'],
  }),
  on('vault', 'GET', 'ListObjects', listObjects, { may: [...listing, 'marker'] }),
  on('vault', 'POST', 'DeleteObjects', deleteObjects, { needs: ['delete'], changes: 'removes' }),
  on('object', 'GET', 'ListParts', listParts, {
    needs: ['uploadId'],
    may: ['max-parts', 'part-number-marker', 'encoding-type'],
  }),
  on('object', 'GET', 'GetObjectTagging', getTagging, {
    needs: ['tagging'],
    may: ['versionId'],
  }),
  on('object', 'GET', 'GetObjectAcl', getObjectAcl, { needs: ['acl'], may: ['versionId'] }),
  on('object', 'GET', 'GetObjectAttributes', getObjectAttributes, {
    needs: ['attributes'],
    may: ['versionId'],
  }),
  on('object', 'GET', 'GetObjectLegalHold', getObjectLock, {
    needs: ['legal-hold'],
    may: ['versionId'],
  }),
  on('object', 'GET', 'GetObjectRetention', getObjectLock, {
    needs: ['retention'],
    may: ['versionId'],
  }),
  on('object', 'GET', 'GetObject', readObject, { may: reading }),
  on('object', 'HEAD', 'HeadObject', readObject, { may: reading }),
  on('object', 'PUT', 'UploadPartCopy', copyPart, { ...uploading, header: 'x-amz-copy-source' }),
  on('object', 'PUT', 'UploadPart', uploadPart, uploading),
  on('object', 'PUT', 'CopyObject', copyObject, { header: 'x-amz-copy-source', changes: 'adds' }),
  on('object', 'PUT', 'PutObject', putObject, { changes: 'adds' }),
  on('object', 'DELETE', 'AbortMultipartUpload', abortUpload, {
    needs: ['uploadId'],
    changes: 'removes',
  }),
  on('object', 'DELETE', 'DeleteObject', deleteObject, { may: ['versionId'], changes: 'removes' }),
  on('object', 'POST', 'CreateMultipartUpload', createUpload, {
    needs: ['uploads'],
    changes: 'adds',
  }),
  on('object', 'POST', 'CompleteMultipartUpload', completeUpload, {
    needs: ['uploadId'],
    changes: 'adds',
    checksumOfObject: true,
  }),
]

const kinds = { service: 'the service', vault: 'a vault', object: 'an object' }

/** @throws S3Error NotImplemented for an unsupported operation, so that it is never handled as another operation */
export function matchS3Operation(
  method: string,
  address: S3Address,
  headers: ReadonlyMap<string, string>
): S3Operation {
  const where = address.name ? 'object' : address.bucket ? 'vault' : 'service'
  const names = address.query.map(([name]) => name).filter((name) => !isOfEvery(name))
  const fitting = s3Operations.find(
    (one) =>
      one.on === where &&
      one.method === method &&
      (one.needs ?? []).every((name) => names.includes(name)) &&
      (!one.header || headers.has(one.header))
  )
  const allowed = [...(fitting?.needs ?? []), ...(fitting?.may ?? [])]
  const strange = names.find((name) => !allowed.includes(name))
  if (fitting && strange === undefined) return fitting
  const what = strange === undefined ? '' : ` with "${strange}"`
  throw new S3Error('NotImplemented', `${method} of ${kinds[where]}${what} is not supported.`)
}

/** Returns whether every request may have this query parameter, because clients or signatures add it. */
function isOfEvery(name: string): boolean {
  return name === 'x-id' || name.toLowerCase().startsWith('x-amz-')
}
