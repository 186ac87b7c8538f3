import { VaultError } from '../errors.js'

/** HTTP status of each error code (S3, "List of error codes"). */
const statuses = {
  AccessDenied: 403,
  AuthorizationHeaderMalformed: 400,
  AuthorizationQueryParametersError: 400,
  BadDigest: 400,
  EntityTooLarge: 400,
  EntityTooSmall: 400,
  IncompleteBody: 400,
  InsufficientStorage: 507,
  InternalError: 500,
  InvalidAccessKeyId: 403,
  InvalidArgument: 400,
  InvalidDigest: 400,
  InvalidPart: 400,
  InvalidPartNumber: 416,
  InvalidPartOrder: 400,
  InvalidPolicyDocument: 400,
  InvalidRange: 416,
  InvalidRequest: 400,
  InvalidStorageClass: 400,
  InvalidToken: 400,
  InvalidURI: 400,
  KeyTooLongError: 400,
  MalformedXML: 400,
  MetadataTooLarge: 400,
  MethodNotAllowed: 405,
  MissingContentLength: 411,
  NoSuchBucket: 404,
  NoSuchBucketPolicy: 404,
  NoSuchCORSConfiguration: 404,
  NoSuchConfiguration: 404,
  NoSuchKey: 404,
  NoSuchLifecycleConfiguration: 404,
  NoSuchPublicAccessBlockConfiguration: 404,
  NoSuchTagSet: 404,
  NoSuchUpload: 404,
  NoSuchVersion: 404,
  NoSuchWebsiteConfiguration: 404,
  NotImplemented: 501,
  ObjectLockConfigurationNotFoundError: 404,
  OperationAborted: 409,
  OwnershipControlsNotFoundError: 404,
  PreconditionFailed: 412,
  QuotaExceeded: 403,
  ReplicationConfigurationNotFoundError: 404,
  RequestTimeTooSkewed: 403,
  ServerSideEncryptionConfigurationNotFoundError: 404,
  ServiceUnavailable: 503,
  SignatureDoesNotMatch: 403,
  SlowDown: 503,
  UserKeyMustBeSpecified: 400,
  XAmzContentSHA256Mismatch: 400,
} as const

export type S3ErrorCode = keyof typeof statuses

/** `fields` are additional XML elements. */
export class S3Error extends Error {
  readonly status: number

  constructor(
    readonly code: S3ErrorCode,
    message: string,
    readonly fields: Record<string, string> = {},
    readonly headers: Record<string, string> = {}
  ) {
    super(message)
    this.status = statuses[code]
  }
}

const codes: Record<string, S3ErrorCode> = {
  no_key: 'AccessDenied',
  wrong_key: 'InvalidAccessKeyId',
  read_only_key: 'AccessDenied',
  not_allowed: 'AccessDenied',
  link_ended: 'AccessDenied',
  suspended: 'AccessDenied',
  read_only: 'AccessDenied',
  // An error code that has no status 429, because clients would retry after that status.
  limit_reached: 'QuotaExceeded',
  no_vault: 'NoSuchBucket',
  no_object: 'NoSuchKey',
  no_upload: 'NoSuchUpload',
  method: 'MethodNotAllowed',
  exists: 'PreconditionFailed',
  condition: 'PreconditionFailed',
  too_large: 'EntityTooLarge',
  too_small: 'EntityTooSmall',
  name: 'InvalidArgument',
  bad_request: 'InvalidRequest',
  cut_short: 'IncompleteBody',
  checksum: 'BadDigest',
  full: 'InsufficientStorage',
  store_failed: 'ServiceUnavailable',
  invalid_part: 'InvalidPart',
  invalid_part_order: 'InvalidPartOrder',
  moved: 'OperationAborted',
}

/** Returns undefined for an unexpected error. */
export function s3ErrorOf(error: unknown): S3Error | undefined {
  if (error instanceof S3Error) return error
  if (!(error instanceof VaultError)) return undefined
  const code = codes[error.code]
  return code && new S3Error(code, error.message, {}, error.headers)
}
