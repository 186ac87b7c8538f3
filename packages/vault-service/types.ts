import type { Readable } from 'node:stream'

/**
 * `active`: everything. `read_only`: what is there can be read (the account is suspended). `suspended`:
 * nothing is served. `deleted`: it is being emptied.
 */
export type VaultState = 'active' | 'read_only' | 'suspended' | 'deleted'

/** Where bodies can be: a folder of this machine, or a bucket of another S3 store. */
export const bodyStorageNames = ['folder', 'bucket'] as const
export type BodyStorageName = (typeof bodyStorageNames)[number]

/** Where a body is: in its vault's store, or, a small one, beside its name in the database. */
export type BodyLocation = BodyStorageName | 'rows'

/** One rule of who may read from pages of other origins (Fetch standard, "CORS protocol"). */
export interface CorsRule {
  /** `https://example.com`, `https://*.example.com` or `*`. */
  origins: string[]
  methods: ('GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE')[]
  /** Request headers; `*` for all. */
  headers: string[]
  exposed: string[]
  /** Seconds. */
  maxAge: number
}

/** A vault as the service keeps it. `key` is its public name: the first part of its objects' addresses, and S3's bucket. */
export interface Vault {
  id: number
  accountId: number
  key: string
  state: VaultState
  isPrivate: boolean
  cors: CorsRule[]
  limitReached: boolean
  store: BodyStorageName
  /** What links are signed with. */
  linkKey: Buffer
  createdAt: Date
}

/** Who acts: a key of a vault. `accessKeyId` is undefined for the vault's own secret. */
export interface AccessKey {
  vaultId: number
  accessKeyId?: string
  secret: string
  readOnly: boolean
}

/** Headers that are kept with an object and given back with it. */
export interface ObjectHeaders {
  cacheControl?: string
  contentDisposition?: string
  contentEncoding?: string
  contentLanguage?: string
  expires?: string
}

/** Checksums by S3's name of the algorithm (`CRC32`, `CRC32C`, `CRC64NVME`, `SHA1`, `SHA256`), base64; `type` as S3 says it. */
export type Checksums = Record<string, string>

/** What describes an object. */
export interface ObjectMetadata {
  type: string
  headers: ObjectHeaders
  /** `x-amz-meta-*` without that beginning. */
  meta: Record<string, string>
  checksums: Checksums
}

/** An object as it is committed. */
export interface StoredObject extends ObjectMetadata {
  vaultId: number
  name: string
  /** Bytes. */
  size: number
  /** Without quotes: MD5 in hexadecimal, of several parts `…-N`. */
  etag: string
  modifiedAt: Date
  store: BodyLocation
  bodies: number[]
  sizes: number[]
  digests: string[]
}

/** A body that no object has yet: durable, or small and made durable with the row that names it. */
export interface ReceivedBody {
  store: BodyLocation
  body: number
  size: number
  /** MD5, hexadecimal. */
  md5: string
  /** All of a small one. */
  bytes?: Buffer
}

/** What must hold when the object is made; otherwise `refused.condition`. */
export type WriteCondition = { absent: true } | { etag: string }

export interface ListOptions {
  prefix?: string
  /** Names are put together up to its first occurrence after the prefix. */
  delimiter?: string
  /** Begin after this name (a name, or a common prefix: then after everything in it). */
  after?: string
  /** Objects and common prefixes together, at most 1,000. */
  limit: number
}

export interface Listing {
  objects: StoredObject[]
  /** Common prefixes, each with its delimiter. */
  prefixes: string[]
  /** Give it as `after` for what follows; undefined at the end. */
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
  /** The checksum that was announced, if any: S3's names of algorithm and type, e.g. `CRC32 COMPOSITE`. */
  checksum?: string
  startedAt: Date
}

/**
 * Objects by name. Everything that changes is durable when its promise is fulfilled, whole or absent, and
 * no reader of this service sees an older state afterwards. All refuse with `VaultError`.
 */
export interface ObjectStore {
  vaultByKey(key: string): Promise<Vault | undefined>
  /** Undefined: there is none, or it has ended. */
  accessKey(accessKeyId: string): Promise<AccessKey | undefined>
  /** By secret; used with the account's number or the key's id. */
  secretKey(secret: string): Promise<AccessKey | undefined>
  vaultById(id: number): Promise<Vault | undefined>

  head(vault: Vault, name: string): Promise<StoredObject | undefined>
  /** Bytes `start` to `end` (both included) of the object, all without them. Destroy it to end early. */
  read(object: StoredObject, range?: { start: number; end: number }): Readable
  /** All bytes of a small object at once. */
  whole(object: StoredObject): Promise<Buffer>
  list(vault: Vault, options: ListOptions): Promise<Listing>

  /**
   * Takes a body. `size` is what was announced, if it was: less or more is refused. What the source throws
   * ends it and leaves nothing.
   */
  receive(vault: Vault, source: AsyncIterable<Buffer>, size?: number): Promise<ReceivedBody>
  /** Makes an object of a received body; overwriting is atomic. */
  put(
    vault: Vault,
    name: string,
    received: ReceivedBody,
    metadata: ObjectMetadata,
    condition?: WriteCondition
  ): Promise<StoredObject>
  /** Another object with the same bytes. */
  copy(
    from: StoredObject,
    vault: Vault,
    name: string,
    metadata: ObjectMetadata,
    condition?: WriteCondition
  ): Promise<StoredObject>
  /** Gives the names that were there. */
  remove(vault: Vault, names: string[], onlyEtag?: string): Promise<string[]>
  /** Everything whose name begins so; the number of objects. */
  removeBeginning(vault: Vault, prefix: string): Promise<number>

  beginUpload(
    vault: Vault,
    name: string,
    metadata: ObjectMetadata,
    checksum?: string
  ): Promise<MultipartUpload>
  upload(vault: Vault, id: string): Promise<MultipartUpload | undefined>
  /** The same number again replaces the part. */
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
   * Makes the object of these parts, in this order. Again with an upload that is complete: the same answer.
   * Refuses unknown parts or tags with `invalid_part`, a wrong order with `invalid_part_order`.
   */
  completeUpload(
    vault: Vault,
    uploadId: string,
    parts: { number: number; etag: string }[],
    condition?: WriteCondition,
    checksums?: Checksums
  ): Promise<StoredObject>
  /** Ends one that is not complete; of a complete one it does nothing. */
  abortUpload(vault: Vault, uploadId: string): Promise<void>
}

/** Counts what each answer costs, before it is sent. */
export interface UsageMeter {
  /** One request of a vault; bytes that came and go with it. */
  count(vault: Vault, bytesIn: number, bytesOut: number): void
  /** The same for an answer that is ready: "answer" is called once it is counted, together with all others of this moment. */
  countReady(vault: Vault, bytesOut: number, answer: () => void): void
  /** What turned out otherwise: a body that was cut short counts what went out. */
  correct(vault: Vault, bytesOut: number): void
}
