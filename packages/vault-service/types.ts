import type { Readable } from 'node:stream'

/**
 * State of a vault. `active`: reads and writes are served. `read_only`: the account is suspended, and only reads are
 * served. `suspended`: no requests are served. `deleted`: the service is deleting the objects.
 */
export type VaultState = 'active' | 'read_only' | 'suspended' | 'deleted'

/** Storage backends of object bodies: a folder on this machine, or a bucket of another S3 server. */
export const bodyStorageNames = ['folder', 'bucket'] as const
export type BodyStorageName = (typeof bodyStorageNames)[number]

/** Location of a body: a storage backend or, if it is small, in the database (`rows`). */
export type BodyLocation = BodyStorageName | 'rows'

/** A CORS rule (Fetch standard, "CORS protocol"). */
export interface CorsRule {
  /** Origins such as `https://example.com`, `https://*.example.com` or `*`. */
  origins: string[]
  methods: ('GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE')[]
  /** Request headers that are allowed. `*` allows all. */
  headers: string[]
  exposed: string[]
  /** Seconds for which browsers may cache a preflight response. */
  maxAge: number
}

/** A vault (bucket). `key` is the S3 bucket name and the first path segment of its object URLs. */
export interface Vault {
  id: number
  accountId: number
  key: string
  state: VaultState
  isPrivate: boolean
  cors: CorsRule[]
  limitReached: boolean
  store: BodyStorageName
  linkKey: Buffer
  createdAt: Date
}

/** `accessKeyId` is undefined for the vault's own secret. */
export interface AccessKey {
  vaultId: number
  accessKeyId?: string
  secret: string
  readOnly: boolean
}

/** Headers stored with an object and returned with it. */
export interface ObjectHeaders {
  cacheControl?: string
  contentDisposition?: string
  contentEncoding?: string
  contentLanguage?: string
  expires?: string
}

/**
 * Checksums in base64 by S3's algorithm name (`CRC32`, `CRC32C`, `CRC64NVME`, `SHA1`, `SHA256`). The key `type` has
 * S3's checksum type instead (`FULL_OBJECT` or `COMPOSITE`).
 */
export type Checksums = Record<string, string>

export interface ObjectMetadata {
  type: string
  headers: ObjectHeaders
  /** The object's `x-amz-meta-*` headers. Names are without that prefix. */
  meta: Record<string, string>
  checksums: Checksums
}

export interface StoredObject extends ObjectMetadata {
  vaultId: number
  name: string
  /** In bytes. */
  size: number
  /** ETag without quotes: the MD5 in hexadecimal, or `…-N` for an object that was uploaded in N parts. */
  etag: string
  modifiedAt: Date
  store: BodyLocation
  bodies: number[]
  sizes: number[]
  digests: string[]
}

/**
 * A body that was received, but that no object uses yet. A large body is already durable. A small body becomes durable
 * when its object's row is committed.
 */
export interface ReceivedBody {
  store: BodyLocation
  body: number
  size: number
  md5: string
  /** The whole body, if it is small. */
  bytes?: Buffer
}

/** If the condition does not hold, the write fails with `condition` (412). */
export type WriteCondition = { absent: true } | { etag: string }

export interface ListOptions {
  prefix?: string
  /** Names that are equal up to the first delimiter after the prefix are listed as one common prefix. */
  delimiter?: string
  /** Name or common prefix after which the listing starts. */
  after?: string
  /** Maximum number of listed objects and common prefixes together, up to 1,000. */
  limit: number
}

export interface ObjectListing {
  objects: StoredObject[]
  /** Common prefixes, each including its delimiter. */
  prefixes: string[]
  /** Value of `after` for the next page. Undefined on the last page. */
  next?: string
}

export interface UploadedPart {
  number: number
  size: number
  etag: string
  checksums: Checksums
  modifiedAt: Date
}

export interface MultipartUpload {
  id: string
  vaultId: number
  name: string
  /** S3's algorithm and type of the checksum that the client announced, for example `CRC32 COMPOSITE`. */
  checksum?: string
  startedAt: Date
}

/**
 * Stores objects. Each change is atomic, and is durable when its promise resolves. After that, readers of this service
 * never get an older state. Expected errors, such as a suspended vault, are `VaultError`.
 */
export interface ObjectStore {
  vaultByKey(key: string): Promise<Vault | undefined>
  /** Returns undefined if the key does not exist or has expired. */
  accessKey(accessKeyId: string): Promise<AccessKey | undefined>
  /** Finds the key to which a secret belongs. Clients send it together with the account number or the key's ID. */
  secretKey(secret: string): Promise<AccessKey | undefined>
  vaultById(id: number): Promise<Vault | undefined>

  head(vault: Vault, name: string): Promise<StoredObject | undefined>
  /** Streams the bytes from `start` to `end`, both inclusive. Destroy the stream to stop early. */
  read(object: StoredObject, range?: { start: number; end: number }): Readable
  whole(object: StoredObject): Promise<Buffer>
  list(vault: Vault, options: ListOptions): Promise<ObjectListing>

  /** Rejects a body that is shorter or longer than `size`. If the source throws, nothing of the body remains. */
  receive(vault: Vault, source: AsyncIterable<Buffer>, size?: number): Promise<ReceivedBody>
  /** Creates an object, or atomically replaces an existing one. */
  put(
    vault: Vault,
    name: string,
    received: ReceivedBody,
    metadata: ObjectMetadata,
    condition?: WriteCondition
  ): Promise<StoredObject>
  /**
   * Copies an object within its vault. `source` contains the object's bytes. It is read only if the stored bodies
   * cannot be linked, or are not in the vault's current storage backend.
   */
  copy(
    from: StoredObject,
    vault: Vault,
    name: string,
    metadata: ObjectMetadata,
    source: AsyncIterable<Buffer>,
    condition?: WriteCondition
  ): Promise<StoredObject>
  /** Returns the names of the deleted objects. With `onlyEtag`, deletes only objects that have this ETag. */
  remove(vault: Vault, names: string[], onlyEtag?: string): Promise<string[]>
  removeBeginning(vault: Vault, prefix: string): Promise<number>

  beginUpload(
    vault: Vault,
    name: string,
    metadata: ObjectMetadata,
    checksum?: string
  ): Promise<MultipartUpload>
  upload(vault: Vault, id: string): Promise<MultipartUpload | undefined>
  /** Replaces an earlier part with the same number. */
  putPart(
    vault: Vault,
    uploadId: string,
    number: number,
    received: ReceivedBody,
    checksums: Checksums
  ): Promise<UploadedPart>
  parts(vault: Vault, uploadId: string, after: number, limit: number): Promise<UploadedPart[]>
  uploads(
    vault: Vault,
    options: { prefix?: string; after?: { name: string; id: string }; limit: number }
  ): Promise<MultipartUpload[]>
  /**
   * Creates an object from uploaded parts. A repeated call returns the same object for about a day.
   * @throws `invalid_part` for unknown parts or ETags, `invalid_part_order` if the parts are in a wrong order
   */
  completeUpload(
    vault: Vault,
    uploadId: string,
    parts: { number: number; etag: string }[],
    condition?: WriteCondition,
    checksums?: Checksums
  ): Promise<StoredObject>
  abortUpload(vault: Vault, uploadId: string): Promise<void>
}

/** Counts the usage of responses, which customers pay for. A response is counted before it is sent. */
export interface UsageMeter {
  count(vault: Vault, bytesIn: number, bytesOut: number): void
  /**
   * Counts a response that is ready to be sent, then calls `answer`. One write counts all responses that are ready at
   * the same moment.
   */
  countReady(vault: Vault, bytesOut: number, answer: () => void): void
  /** Corrects the usage of an interrupted response. `bytesOut` is negative: the counted bytes that were not sent. */
  correct(vault: Vault, bytesOut: number): void
}
