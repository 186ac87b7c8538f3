import { createHash } from 'node:crypto'
import type { S3 } from '@aws-sdk/client-s3'
import { createReadStream } from 'node:fs'
import { open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { vaultErrors, VaultError } from '../errors.js'
import { BodyMissingError, type BodyStorage, type WrittenBody } from './body_storage.js'

export interface BucketOptions {
  /** Base URL such as `https://s3.example.com`. The bucket's name is part of the path (path-style). */
  url: string
  bucket: string
  region: string
  accessKeyId: string
  secretAccessKey: string
  /** Prefix of the object keys, for buckets that other programs also use. */
  prefix?: string
}

/**
 * Maximum size of bodies that are buffered in memory. Larger bodies are first written to a file, because S3 needs the
 * length before the body.
 */
const MAX_IN_MEMORY_BYTES = 8 * 1_024 ** 2
const MAX_CONCURRENT_DELETES = 16

/** Stores bodies in a bucket of another S3 server. Bodies are durable once that server confirms the write. */
export class S3BodyStorage implements BodyStorage {
  #client?: Promise<S3>

  readonly #options: BucketOptions
  readonly #spool: string
  readonly #disk: Pick<BodyStorage, 'assertRoom'>

  /**
   * @param spool folder for bodies that are too large for memory
   * @param disk folder storage on the same disk as `spool`. It is used to check the free space
   */
  constructor(options: BucketOptions, spool: string, disk: Pick<BodyStorage, 'assertRoom'>) {
    this.#options = options
    this.#spool = spool
    this.#disk = disk
  }

  async write(
    body: number,
    source: AsyncIterable<Buffer>,
    signal?: AbortSignal
  ): Promise<WrittenBody> {
    const taken = await take(source, join(this.#spool, `${body}.spool`), this.#disk, signal)
    try {
      const content = () => ('path' in taken ? createReadStream(taken.path) : taken.bytes)
      const { length: ContentLength, md5: ContentMD5 } = taken
      await this.#ask((s3) =>
        s3.putObject(
          { ...this.#at(body), Body: content(), ContentLength, ContentMD5 },
          { abortSignal: signal }
        )
      )
      return { size: ContentLength, md5: Buffer.from(ContentMD5, 'base64').toString('hex') }
    } finally {
      if ('path' in taken) await unlink(taken.path).catch(() => {})
    }
  }

  read(body: number, { start, end }: { start: number; end: number }): Readable {
    if (end < start) return Readable.from([])
    return Readable.from(this.#chunks(body, start, end), { objectMode: false })
  }

  async whole(body: number, size: number): Promise<Buffer> {
    const chunks: Buffer[] = []
    for await (const chunk of this.#chunks(body, 0, size - 1)) chunks.push(chunk)
    return Buffer.concat(chunks)
  }

  async *all() {
    const { bucket: Bucket, prefix = '' } = this.#options
    let token: string | undefined
    do {
      const page = await this.#ask((s3) =>
        s3.listObjectsV2({ Bucket, Prefix: prefix, ContinuationToken: token })
      )
      for (const { Key = '', Size = 0, LastModified } of page.Contents ?? []) {
        const name = Key.slice(prefix.length)
        if (!/^[0-9]+$/.test(name)) continue
        yield { body: Number(name), size: Size, createdAt: LastModified ?? new Date() }
      }
      token = page.NextContinuationToken
    } while (token)
  }

  async remove(bodies: number[]): Promise<void> {
    // Sends one request per object. For DeleteObjects, some servers report an error if an object does not exist.
    for (let at = 0; at < bodies.length; at += MAX_CONCURRENT_DELETES) {
      const some = bodies.slice(at, at + MAX_CONCURRENT_DELETES)
      await Promise.all(some.map((body) => this.#ask((s3) => s3.deleteObject(this.#at(body)))))
    }
  }

  /** Does nothing, because the space is on the other server, which checks it. */
  async assertRoom(): Promise<void> {}

  /**
   * Does not test whether the access key may write.
   * @throws VaultError `store_failed` if a HEAD request for the bucket fails. The message gives the reason. It is for
   *   staff, and contains no secret
   */
  async check(): Promise<void> {
    const { bucket: Bucket, prefix: Prefix } = this.#options
    try {
      const s3 = await (this.#client ??= connect(this.#options))
      await s3.headBucket({ Bucket }).catch(async (error: S3RequestError) => {
        // The response to a HEAD request has no body, and so no reason. A list request usually fails for the same
        // reason, and its response names it.
        if (error.$metadata?.httpStatusCode) await s3.listObjectsV2({ Bucket, Prefix, MaxKeys: 1 })
        throw error
      })
    } catch (error) {
      const message = describeBucketProblem(error, this.#options)
      throw Object.assign(vaultErrors.storeFailed(message), { cause: error })
    }
  }

  async *#chunks(body: number, start: number, end: number): AsyncIterable<Buffer> {
    let left = end - start + 1
    try {
      const Range = `bytes=${start}-${end}`
      const { Body } = await this.#ask((s3) => s3.getObject({ ...this.#at(body), Range }))
      for await (const chunk of Body as Readable as AsyncIterable<Buffer>) {
        left -= chunk.length
        yield chunk
      }
    } catch (error) {
      if (isNamed(error, 'NoSuchKey', 'InvalidRange')) throw new BodyMissingError(body)
      throw failure(error)
    }
    if (left > 0) throw new BodyMissingError(body)
  }

  #at(body: number): { Bucket: string; Key: string } {
    return { Bucket: this.#options.bucket, Key: `${this.#options.prefix ?? ''}${body}` }
  }

  async #ask<T>(work: (s3: S3) => Promise<T>): Promise<T> {
    const s3 = await (this.#client ??= connect(this.#options))
    try {
      return await work(s3)
    } catch (error) {
      throw isNamed(error, 'NoSuchKey', 'InvalidRange') ? error : failure(error)
    }
  }
}

const accessDeniedMessage =
  'The access key of the bucket has too few permissions. Allow it to list, read, write and delete objects in the bucket.'
const unknownKeyMessage =
  'The S3 server does not know the access key of the bucket. Correct VAULT_BUCKET_KEY.'
const wrongRegionMessage =
  'The bucket is in another region. Correct VAULT_BUCKET_REGION and VAULT_BUCKET_URL.'

/** By S3's error code. */
const bucketProblems = new Map([
  ['InvalidAccessKeyId', unknownKeyMessage],
  // The code of Versity's gateway.
  ['XAdminUserNotFound', unknownKeyMessage],
  ['SignatureDoesNotMatch', 'The secret key of the bucket is wrong. Correct VAULT_BUCKET_SECRET.'],
  ['AccessDenied', accessDeniedMessage],
  ['Forbidden', accessDeniedMessage],
  ['NoSuchBucket', 'The bucket does not exist. Create it, or correct VAULT_BUCKET_NAME.'],
  ['AuthorizationHeaderMalformed', wrongRegionMessage],
  ['PermanentRedirect', wrongRegionMessage],
  [
    'RequestTimeTooSkewed',
    'The clocks of this machine and of the S3 server differ too much. Correct the clock of this machine.',
  ],
])

/** Does not repeat the server's message, because that may contain the access key and the signed request. */
function describeBucketProblem(error: unknown, { url }: BucketOptions): string {
  const { name = '', code, $metadata: response } = error as S3RequestError
  const known = bucketProblems.get(name)
  if (known) return known
  const status = response?.httpStatusCode
  if (status) {
    const reason = /^\w{1,60}$/.test(name) ? `${name}, status ${status}` : `status ${status}`
    return `The S3 server of the bucket returned an error (${reason}). Check its log and the settings VAULT_BUCKET_….`
  }
  const host = URL.canParse(url) ? new URL(url).host : 'the address of the bucket'
  const reason = code ?? name
  return `No S3 server responds at ${host}${reason && ` (${reason})`}. Check VAULT_BUCKET_URL and the server.`
}

interface S3RequestError {
  name?: string
  /** Code of a connection error, for example ECONNREFUSED. */
  code?: string
  /** `httpStatusCode` is undefined if there was no response. */
  $metadata?: { httpStatusCode?: number }
}

async function connect(options: BucketOptions): Promise<S3> {
  // Imports this module only when it is needed, because it is large.
  const { S3: Client } = await import('@aws-sdk/client-s3')
  const { url: endpoint, region, accessKeyId, secretAccessKey } = options
  return new Client({
    endpoint,
    region,
    forcePathStyle: true,
    maxAttempts: 3,
    // Newer clients send checksums in a trailer. Older servers do not support trailers, and would store them as
    // content.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    credentials: { accessKeyId, secretAccessKey },
  })
}

/** A body that is ready to be sent. The other server uses `md5` (base64) to verify the transfer. */
type Taken = ({ bytes: Buffer } | { path: string }) & { length: number; md5: string }

async function take(
  source: AsyncIterable<Buffer>,
  path: string,
  disk: Pick<BodyStorage, 'assertRoom'>,
  signal?: AbortSignal
): Promise<Taken> {
  const chunks: Buffer[] = []
  const hash = createHash('md5')
  let length = 0
  let file
  try {
    for await (const chunk of source) {
      signal?.throwIfAborted()
      length += chunk.length
      hash.update(chunk)
      if (!file && length <= MAX_IN_MEMORY_BYTES) {
        chunks.push(chunk)
        continue
      }
      await disk.assertRoom()
      file ??= await open(path, 'wx', 0o600)
      await file.appendFile(chunks.length ? Buffer.concat([...chunks.splice(0), chunk]) : chunk)
    }
  } catch (error) {
    await file?.close()
    if (file) await unlink(path).catch(() => {})
    throw failure(error)
  }
  const md5 = hash.digest('base64')
  if (!file) return { bytes: Buffer.concat(chunks), length, md5 }
  await file.close()
  return { path, length, md5 }
}

function isNamed(error: unknown, ...names: string[]): boolean {
  return error instanceof Error && names.includes(error.name)
}

function failure(error: unknown): Error {
  if (error instanceof VaultError) return error
  const code = (error as NodeJS.ErrnoException)?.code
  if (code === 'ENOSPC' || code === 'EDQUOT') return vaultErrors.full()
  const isSource = error instanceof Error && !('$metadata' in error) && !code
  return isSource ? error : Object.assign(vaultErrors.storeFailed(), { cause: error })
}
