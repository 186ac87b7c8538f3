import { noSuchKeyError, type S3Call, type S3Response } from '../call.js'
import { S3Error, type S3ErrorCode } from '../errors.js'
import type { Xml } from '../xml.js'
import { bucketOwner } from './buckets.js'

type SettingResponse = [code: S3ErrorCode, message: string] | { root: string; content?: Xml }

const NO_POLICY: SettingResponse = ['NoSuchBucketPolicy', 'The bucket policy does not exist.']

/**
 * S3's responses to requests for settings that a bucket does not have, by query parameter. Programs request these
 * settings before they mount, copy or show a bucket.
 */
const unsetSettings: Record<string, [operation: string, SettingResponse]> = {
  accelerate: ['GetBucketAccelerateConfiguration', { root: 'AccelerateConfiguration' }],
  encryption: [
    'GetBucketEncryption',
    [
      'ServerSideEncryptionConfigurationNotFoundError',
      'The server side encryption configuration was not found.',
    ],
  ],
  lifecycle: [
    'GetBucketLifecycleConfiguration',
    ['NoSuchLifecycleConfiguration', 'The lifecycle configuration does not exist.'],
  ],
  logging: ['GetBucketLogging', { root: 'BucketLoggingStatus' }],
  notification: ['GetBucketNotificationConfiguration', { root: 'NotificationConfiguration' }],
  'object-lock': [
    'GetObjectLockConfiguration',
    [
      'ObjectLockConfigurationNotFoundError',
      'Object Lock configuration does not exist for this bucket.',
    ],
  ],
  ownershipControls: [
    'GetBucketOwnershipControls',
    ['OwnershipControlsNotFoundError', 'The bucket ownership controls were not found.'],
  ],
  policy: ['GetBucketPolicy', NO_POLICY],
  policyStatus: ['GetBucketPolicyStatus', NO_POLICY],
  publicAccessBlock: [
    'GetPublicAccessBlock',
    [
      'NoSuchPublicAccessBlockConfiguration',
      'The public access block configuration was not found.',
    ],
  ],
  replication: [
    'GetBucketReplication',
    ['ReplicationConfigurationNotFoundError', 'The replication configuration was not found.'],
  ],
  requestPayment: [
    'GetBucketRequestPayment',
    { root: 'RequestPaymentConfiguration', content: { Payer: 'BucketOwner' } },
  ],
  tagging: ['GetBucketTagging', ['NoSuchTagSet', 'The TagSet does not exist.']],
  versioning: ['GetBucketVersioning', { root: 'VersioningConfiguration' }],
  website: [
    'GetBucketWebsite',
    ['NoSuchWebsiteConfiguration', 'The specified bucket does not have a website configuration.'],
  ],
}

/**
 * Settings of which a bucket may have several, by query parameter. A request lists all of them, or asks for one with
 * the parameter `id`.
 */
const unsetSettingLists: Record<string, [operation: string, root: string]> = {
  analytics: ['ListBucketAnalyticsConfigurations', 'ListBucketAnalyticsConfigurationResult'],
  'intelligent-tiering': [
    'ListBucketIntelligentTieringConfigurations',
    'ListBucketIntelligentTieringConfigurationsOutput',
  ],
  inventory: ['ListBucketInventoryConfigurations', 'ListInventoryConfigurationsResult'],
  metrics: ['ListBucketMetricsConfigurations', 'ListMetricsConfigurationsResult'],
}

export const unsetSettingRequests = [
  ...Object.entries(unsetSettings).map(([parameter, [name, response]]) => ({
    parameter,
    name,
    run: () => respond(response),
  })),
  ...Object.entries(unsetSettingLists).map(([parameter, [name, root]]) => ({
    parameter,
    name,
    run: ({ query }: S3Call) =>
      respond(
        query.has('id')
          ? ['NoSuchConfiguration', 'The specified configuration does not exist.']
          : { root, content: { IsTruncated: false } }
      ),
  })),
]

function respond(response: SettingResponse): S3Response {
  if (Array.isArray(response)) throw new S3Error(...response)
  return { xml: [response.root, response.content] }
}

const XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'

export function getBucketAcl(call: S3Call): S3Response {
  const owner = bucketOwner(call)
  const grants: Xml[] = [
    { [`Grantee ${XSI} xsi:type="CanonicalUser"`]: owner, Permission: 'FULL_CONTROL' },
  ]
  // In a public vault, everyone can read objects, but not list them.
  if (call.name && !call.vault.isPrivate) {
    const everyone = { URI: 'http://acs.amazonaws.com/groups/global/AllUsers' }
    grants.push({ [`Grantee ${XSI} xsi:type="Group"`]: everyone, Permission: 'READ' })
  }
  return {
    xml: ['AccessControlPolicy', { Owner: owner, AccessControlList: { Grant: grants } }],
  }
}

export async function getObjectAcl(call: S3Call): Promise<S3Response> {
  if (!(await call.store.head(call.vault, call.name))) throw noSuchKeyError(call.name)
  return getBucketAcl(call)
}

/**
 * Responds as S3 does for an object in a bucket without object locks.
 * @throws S3Error NoSuchKey if the object does not exist, otherwise InvalidRequest
 */
export async function getObjectLock(call: S3Call): Promise<S3Response> {
  if (!(await call.store.head(call.vault, call.name))) throw noSuchKeyError(call.name)
  throw new S3Error('InvalidRequest', 'Bucket is missing Object Lock Configuration.')
}
