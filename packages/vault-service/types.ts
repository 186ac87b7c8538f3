import type { Readable } from 'node:stream'

/**
 * `active`: all requests are served. `read_only`: the account is suspended; objects can only be read.
 * `suspended`: no requests are served. `deleted`: the service is deleting the objects.
 */
export type VaultState = 'active' | 'read_only' | 'suspended' | 'deleted'

/** The stores for object bodies: a folder on this machine, or a bucket of another S3 store. */
export const bodyStorageNames = ['folder', 'bucket'] as const
export type BodyStorageName = (typeof bodyStorageNames)[number]

/** The location of one body: its vault's store, or, for a small body, the database (`rows`). */
export type BodyLocation = BodyStorageName | 'rows'

/** One CORS rule of a vault (Fetch standard, "CORS protocol"). */
export interface CorsRule {
  /** `https://example.com`, `https://*.example.com` or `*`. */
  origins: string[]
  methods: ('GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE')[]
  /** Request headers; `*` allows all. */
  headers: string[]
  exposed: string[]
  /** Seconds. */
  maxAge: number
}

/**
 * A vault (bucket). `key` is its public name: the S3 bucket name and the first path segment of its object
 * URLs.
 */
export interface Vault {
  id: number
  accountId: number
  key: string
  state: VaultState
  isPrivate: boolean
  cors: CorsRule[]
  limitReached: boolean
  store: BodyStorageName
  /** The secret that signs links. */
  linkKey: Buffer
  createdAt: Date
}

/** A vault's access key. `accessKeyId` is undefined for the vault's own secret. */
export interface AccessKey {
  vaultId: number
  accessKeyId?: string
  secret: string
  readOnly: boolean
}

/** Headers that are stored with an object and returned with it. */
export interface ObjectHeaders {
  cacheControl?: string
  contentDisposition?: string
  contentEncoding?: string
  contentLanguage?: string
  expires?: string
}

/**
 * Checksums in base64 by S3's algorithm name (`CRC32`, `CRC32C`, `CRC64NVME`, `SHA1`, `SHA256`). `type` is
 * S3's checksum type.
 */
export type Checksums = Record<string, string>

export interface ObjectMetadata {
  type: string
  headers: ObjectHeaders
  /** `x-amz-meta-*` headers, keyed without that prefix. */
  meta: Record<string, string>
  checksums: Checksums
}

export interface StoredObject extends ObjectMetadata {
  vaultId: number
  name: string
  /** Bytes. */
  size: number
  /** Without quotes: the MD5 in hexadecimal, or `…-N` for an object uploaded in N parts. */
  etag: string
  modifiedAt: Date
  store: BodyLocation
  bodies: number[]
  sizes: number[]
  digests: string[]
}

/**
 * A received body that belongs to no object yet. A large one is durable already. A small one becomes durable
 * with its object's row.
 */
export interface ReceivedBody {
  store: BodyLocation
  body: number
  size: number
  /** MD5, hexadecimal. */
  md5: string
  /** The whole body, if it is small. */
  bytes?: Buffer
}

/**
 * A condition that must hold when the object is written; otherwise the write fails with `condition` (412).
 */
export type WriteCondition = { absent: true } | { etag: string }

export interface ListOptions {
  prefix?: string
  /** Names are grouped up to the first delimiter after the prefix. */
  delimiter?: string
  /** The listing starts after this name. For a common prefix, it starts after everything below it. */
  after?: string
  /** The maximum number of objects and common prefixes together, at most 1,000. */
  limit: number
}

export interface Listing {
  objects: StoredObject[]
  /** Common prefixes, each including its delimiter. */
  prefixes: string[]
  /** The value of `after` for the next page; undefined on the last page. */
  next?: string
}

export interface Part {
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
  /** The announced checksum, if any: S3's algorithm and type, for example `CRC32 COMPOSITE`. */
  checksum?: string
  startedAt: Date
}

/**
 * Reads and writes objects by name. A change is atomic, and it is durable when its promise resolves. After
 * that, no reader of this service sees an older state. All methods throw `VaultError`.
 */
export interface ObjectStore {
  vaultByKey(key: string): Promise<Vault | undefined>
  /** Returns undefined if the key does not exist or has expired. */
  accessKey(accessKeyId: string): Promise<AccessKey | undefined>
  /** Finds a key by its secret, for clients that sign in with the account number or the key's id. */
  secretKey(secret: string): Promise<AccessKey | undefined>
  vaultById(id: number): Promise<Vault | undefined>

  head(vault: Vault, name: string): Promise<StoredObject | undefined>
  /**
   * Streams the bytes from `start` to `end` (both inclusive), or the whole object. Destroy the stream to stop
   * early.
   */
  read(object: StoredObject, range?: { start: number; end: number }): Readable
  /** Returns all bytes of a small object. */
  whole(object: StoredObject): Promise<Buffer>
  list(vault: Vault, options: ListOptions): Promise<Listing>

  /**
   * Stores a body. Rejects a body that is shorter or longer than the announced `size`. If the source throws,
   * nothing remains.
   */
  receive(vault: Vault, source: AsyncIterable<Buffer>, size?: number): Promise<ReceivedBody>
  /** Creates an object from a received body; overwriting is atomic. */
  put(
    vault: Vault,
    name: string,
    received: ReceivedBody,
    metadata: ObjectMetadata,
    condition?: WriteCondition
  ): Promise<StoredObject>
  /** Creates another object with the same bytes. */
  copy(
    from: StoredObject,
    vault: Vault,
    name: string,
    metadata: ObjectMetadata,
    condition?: WriteCondition
  ): Promise<StoredObject>
  /** Deletes objects and returns the names that existed. */
  remove(vault: Vault, names: string[], onlyEtag?: string): Promise<string[]>
  /** Deletes all objects whose names start with `prefix` and returns their number. */
  removeBeginning(vault: Vault, prefix: string): Promise<number>

  beginUpload(
    vault: Vault,
    name: string,
    metadata: ObjectMetadata,
    checksum?: string
  ): Promise<MultipartUpload>
  upload(vault: Vault, id: string): Promise<MultipartUpload | undefined>
  /** Stores a part, and replaces an earlier part with the same number. */
  putPart(
    vault: Vault,
    uploadId: string,
    number: number,
    received: ReceivedBody,
    checksums: Checksums
  ): Promise<Part>
  parts(vault: Vault, uploadId: string, after: number, limit: number): Promise<Part[]>
  uploads(
    vault: Vault,
    options: { prefix?: string; after?: { name: string; id: string }; limit: number }
  ): Promise<MultipartUpload[]>
  /**
   * Creates the object from these parts in this order. Repeating the call for a completed upload returns the
   * same object.
   * @throws `invalid_part` for unknown parts or tags, `invalid_part_order` for a wrong order
   */
  completeUpload(
    vault: Vault,
    uploadId: string,
    parts: { number: number; etag: string }[],
    condition?: WriteCondition,
    checksums?: Checksums
  ): Promise<StoredObject>
  /** Aborts an upload; does nothing if it is complete. */
  abortUpload(vault: Vault, uploadId: string): Promise<void>
}

/** Counts the billable usage of each response before it is sent. */
export interface UsageMeter {
  /** Counts one request of a vault with the bytes received and sent. */
  count(vault: Vault, bytesIn: number, bytesOut: number): void
  /**
   * Counts a response that is ready to send. Calls `answer` once it is counted, together with all others of
   * this moment.
   */
  countReady(vault: Vault, bytesOut: number, answer: () => void): void
  /** Corrects the count of a response that was cut short to the bytes that were sent. */
  correct(vault: Vault, bytesOut: number): void
}
