import type { S3Response, S3Call } from '../call.js'
import { S3Error } from '../errors.js'
import { assertSupportedHeaders } from '../object_headers.js'

export function bucketOwner({ vault }: S3Call): { ID: string; DisplayName: string } {
  return { ID: String(vault.accountId), DisplayName: String(vault.accountId) }
}

export function listBuckets(call: S3Call): S3Response {
  const { key, createdAt } = call.vault
  const bucket = { Name: key, CreationDate: createdAt.toISOString() }
  const content = { Owner: bucketOwner(call), Buckets: { Bucket: bucket } }
  return { xml: ['ListAllMyBucketsResult', content] }
}

export function headBucket(): S3Response {
  return { headers: { 'x-amz-bucket-region': 'us-east-1' } }
}

/**
 * Succeeds without doing anything, as S3 does in `us-east-1` for the client's own bucket: the vault exists and belongs
 * to the access key.
 */
export function createBucket(call: S3Call): S3Response {
  assertSupportedHeaders(call)
  return { headers: { location: `/${call.vault.key}` } }
}

/** Returns an empty location, which means `us-east-1`. Clients may use any region in their signature. */
export function getLocation(): S3Response {
  return { xml: ['LocationConstraint', ''] }
}

/**
 * Only the console can change the rules.
 * @throws S3Error NoSuchCORSConfiguration if the vault has no rules
 */
export function getCors({ vault }: S3Call): S3Response {
  if (!vault.cors.length) {
    throw new S3Error('NoSuchCORSConfiguration', 'The CORS configuration does not exist.')
  }
  const rules = vault.cors.map((rule) => ({
    AllowedOrigin: rule.origins,
    AllowedMethod: rule.methods,
    AllowedHeader: rule.headers,
    ExposeHeader: rule.exposed,
    MaxAgeSeconds: rule.maxAge,
  }))
  return { xml: ['CORSConfiguration', { CORSRule: rules }] }
}
