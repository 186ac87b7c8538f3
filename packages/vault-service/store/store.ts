import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { isRolledBack } from '#packages/service/database'
import { vaultErrors, VaultError } from '../errors.js'
import type {
  AccessKey,
  BodyLocation,
  Checksums,
  WriteCondition,
  ObjectListing,
  ListOptions,
  ObjectMetadata,
  UploadedPart,
  ReceivedBody,
  ObjectStore,
  StoredObject,
  MultipartUpload,
  Vault,
} from '../types.js'
import { BodyMissingError, type BodyStorage } from './body_storage.js'
import { ObjectWriter, type ObjectPut } from './object_writer.js'
import type { Database } from './database.js'
import type { ChangeCounters } from './change_counters.js'
import { listObjects, toStoredObject, type ObjectRow } from './listing.js'
import { MAX_OBJECT_BYTES } from './limits_and_prices.js'
import { MAX_ROW_BODY_BYTES } from './row_body_storage.js'
import { readBeginning, withExpectedSize, prependChunks } from './byte_source.js'
import { MultipartUploads } from './uploads.js'
import type { VaultCache } from './vault_cache.js'

export type OnDamage = (object: StoredObject, error: unknown) => void

/**
 * Stores objects: names and metadata in PostgreSQL, bytes in the storage backend that is recorded for the object
 * (decision 0027).
 */
export class VaultStore implements ObjectStore {
  readonly #commits: ObjectWriter
  readonly #uploads: MultipartUploads
  #numbers: { next: number; last: number } = { next: 1, last: 0 }
  #taking?: Promise<void>

  readonly #database: Database
  readonly #generations: ChangeCounters
  readonly #vaults: VaultCache
  readonly #bodies: Partial<Record<BodyLocation, BodyStorage>>
  readonly #onDamage: OnDamage

  constructor(
    database: Database,
    generations: ChangeCounters,
    vaults: VaultCache,
    bodies: Partial<Record<BodyLocation, BodyStorage>>,
    onDamage: OnDamage = () => {}
  ) {
    this.#database = database
    this.#generations = generations
    this.#vaults = vaults
    this.#bodies = bodies
    this.#onDamage = onDamage

    this.#commits = new ObjectWriter(database, generations)
    this.#uploads = new MultipartUploads(database, generations)
  }

  vaultByKey(key: string): Promise<Vault | undefined> {
    return this.#vaults.byKey(key)
  }

  vaultById(id: number): Promise<Vault | undefined> {
    return this.#vaults.byId(id)
  }

  accessKey(accessKeyId: string): Promise<AccessKey | undefined> {
    return this.#vaults.byAccessKeyId(accessKeyId)
  }

  secretKey(secret: string): Promise<AccessKey | undefined> {
    return this.#vaults.bySecret(secret)
  }

  async head(vault: Vault, name: string): Promise<StoredObject | undefined> {
    const row = await this.#database.row<ObjectRow>(
      'select * from vault.objects where vault_id = $1 and name = $2',
      [vault.id, name]
    )
    return row && toStoredObject(row)
  }

  read(object: StoredObject, range?: { start: number; end: number }): Readable {
    const { start, end } = range ?? { start: 0, end: object.size - 1 }
    const pieces = this.#pieces(object, start, end)
    return Readable.from(pieces, { objectMode: false, highWaterMark: 262_144 })
  }

  async whole(object: StoredObject): Promise<Buffer> {
    const bodies = this.#bodiesOf(object.store)
    try {
      const parts = object.bodies.map((body, at) => {
        const size = object.sizes[at]
        return size ? bodies.whole(body, size) : Buffer.alloc(0)
      })
      if (parts.length === 1) return await parts[0]
      return Buffer.concat(await Promise.all(parts))
    } catch (error) {
      if (error instanceof BodyMissingError) this.#onDamage(object, error)
      throw error
    }
  }

  list(vault: Vault, options: ListOptions): Promise<ObjectListing> {
    return listObjects(this.#database, vault, options)
  }

  async receive(
    vault: Vault,
    unsized: AsyncIterable<Buffer>,
    size?: number
  ): Promise<ReceivedBody> {
    assertWritable(vault)
    if (size !== undefined && size > MAX_OBJECT_BYTES) throw vaultErrors.tooLarge()
    const source = withExpectedSize(unsized, size)[Symbol.asyncIterator]()
    try {
      const { first, isAll } = await readBeginning(
        source,
        this.#bodies.rows ? MAX_ROW_BODY_BYTES : 0
      )
      if (isAll) return await this.#receiveSmall(Buffer.concat(first))
      return await this.#receiveLarge(vault.store, prependChunks(first, source))
    } finally {
      await source.return?.()
    }
  }

  /** A small body is stored in the database, by the same commit that creates its object. */
  async #receiveSmall(bytes: Buffer): Promise<ReceivedBody> {
    await this.#bodiesOf('rows').assertRoom()
    const md5 = hash('md5', bytes)
    return { store: 'rows', body: await this.number(), size: bytes.length, md5, bytes }
  }

  async #receiveLarge(store: BodyLocation, source: AsyncIterable<Buffer>): Promise<ReceivedBody> {
    const bodies = this.#bodiesOf(store)
    await bodies.assertRoom()
    const body = await this.number()
    return { store, body, ...(await bodies.write(body, source)) }
  }

  async put(
    vault: Vault,
    name: string,
    received: ReceivedBody,
    metadata: ObjectMetadata,
    condition?: WriteCondition
  ): Promise<StoredObject> {
    const { store, body, size, md5, bytes } = received
    const one = { bodies: [body], sizes: [size], digests: [md5], etag: md5 }
    return this.#commit({
      ...metadata,
      ...one,
      vaultId: vault.id,
      name,
      store,
      size,
      condition,
      bytes,
    })
  }

  async copy(
    from: StoredObject,
    vault: Vault,
    name: string,
    metadata: ObjectMetadata,
    source: AsyncIterable<Buffer>,
    condition?: WriteCondition
  ): Promise<StoredObject> {
    assertWritable(vault)
    const bodies = await this.#linked(from, vault)
    if (!bodies) {
      const received = await this.receive(vault, source, from.size)
      return this.put(vault, name, received, metadata, condition)
    }
    const { store, sizes, digests, size, etag } = from
    const same = { store, bodies, sizes, digests, size, etag }
    return this.#commit({ ...metadata, ...same, vaultId: vault.id, name, condition })
  }

  /**
   * Creates hard links to the object's bodies under new numbers, for a copy. Each body belongs to only one object, so
   * deleting an object does not affect its copies. Returns undefined if the bodies cannot be linked, or are not in the
   * vault's current backend.
   */
  async #linked({ store, bodies }: StoredObject, vault: Vault) {
    const there = this.#bodiesOf(store)
    if (store !== vault.store || !there.link) return undefined
    await there.assertRoom()
    const newBodies: number[] = []
    for (const _ of bodies) newBodies.push(await this.number())
    return (await there.link(bodies, newBodies)) ? newBodies : undefined
  }

  async #commit(put: ObjectPut): Promise<StoredObject> {
    try {
      return await this.#commits.put(put)
    } catch (error) {
      if (isNotStored(error) && !put.bytes) await this.#discard(put.store, put.bodies)
      throw error
    }
  }

  async remove(vault: Vault, names: string[], onlyEtag?: string): Promise<string[]> {
    assertChangeable(vault)
    try {
      return await this.#removed(vault, names, null, onlyEtag ?? null)
    } finally {
      for (const name of names) this.#generations.bump(vault.id, name)
    }
  }

  async removeBeginning(vault: Vault, prefix: string): Promise<number> {
    assertChangeable(vault)
    try {
      return (await this.#removed(vault, null, prefix, null)).length
    } finally {
      this.#generations.bumpVault(vault.id)
    }
  }

  beginUpload(
    vault: Vault,
    name: string,
    metadata: ObjectMetadata,
    checksum?: string
  ): Promise<MultipartUpload> {
    assertWritable(vault)
    return this.#uploads.begin(vault, name, metadata, checksum)
  }

  upload(vault: Vault, id: string): Promise<MultipartUpload | undefined> {
    return this.#uploads.find(vault, id)
  }

  async putPart(
    vault: Vault,
    uploadId: string,
    number: number,
    received: ReceivedBody,
    checksums: Checksums
  ): Promise<UploadedPart> {
    // Stores even a short last part in the vault's backend, because all parts of an object must be in the same backend.
    const part = received.bytes
      ? await this.#receiveLarge(vault.store, prependChunks([received.bytes]))
      : received
    try {
      return await this.#uploads.putPart(vault, uploadId, number, part, checksums)
    } catch (error) {
      if (isNotStored(error)) await this.#discard(part.store, [part.body])
      throw error
    }
  }

  parts(vault: Vault, uploadId: string, after: number, limit: number): Promise<UploadedPart[]> {
    return this.#uploads.parts(vault, uploadId, after, limit)
  }

  uploads(
    vault: Vault,
    options: { prefix?: string; after?: { name: string; id: string }; limit: number }
  ): Promise<MultipartUpload[]> {
    return this.#uploads.list(vault, options)
  }

  completeUpload(
    vault: Vault,
    uploadId: string,
    parts: { number: number; etag: string }[],
    condition?: WriteCondition,
    checksums?: Checksums
  ): Promise<StoredObject> {
    assertWritable(vault)
    return this.#uploads.complete(vault, uploadId, parts, condition, checksums)
  }

  abortUpload(vault: Vault, uploadId: string): Promise<void> {
    return this.#uploads.abort(vault, uploadId)
  }

  async number(): Promise<number> {
    while (this.#numbers.next > this.#numbers.last) {
      this.#taking ??= this.#take().finally(() => (this.#taking = undefined))
      await this.#taking
    }
    return this.#numbers.next++
  }

  async #take(): Promise<void> {
    const row = await this.#database.row<{ n: number }>(`select nextval('vault.body_ids') as n`)
    this.#numbers = { next: row!.n, last: row!.n + 999 }
  }

  async #removed(
    vault: Vault,
    names: string[] | null,
    prefix: string | null,
    etag: string | null
  ): Promise<string[]> {
    const rows = await this.#database.rows<{ name: string }>(
      'select * from vault.remove_objects($1, $2, $3, $4) as name',
      [vault.id, names, prefix, etag]
    )
    return rows.map(({ name }) => name)
  }

  async *#pieces(object: StoredObject, start: number, end: number): AsyncIterable<Buffer> {
    const bodies = this.#bodiesOf(object.store)
    let offset = 0
    for (const [at, body] of object.bodies.entries()) {
      const size = object.sizes[at]
      const from = Math.max(start - offset, 0)
      const to = Math.min(end - offset, size - 1)
      offset += size
      if (from > to) continue
      try {
        yield* bodies.read(body, { start: from, end: to }) as AsyncIterable<Buffer>
      } catch (error) {
        if (error instanceof BodyMissingError) this.#onDamage(object, error)
        throw error
      }
    }
  }

  #bodiesOf(store: BodyLocation): BodyStorage {
    const bodies = this.#bodies[store]
    if (!bodies) throw vaultErrors.storeFailed(`The store "${store}" is not set up.`)
    return bodies
  }

  async #discard(store: BodyLocation, bodies: number[]): Promise<void> {
    await this.#bodiesOf(store)
      .remove(bodies)
      .catch(() => {})
  }
}

/**
 * Returns whether PostgreSQL certainly stored no row for the body, so that the body can be removed now. After a lost
 * connection, that is unknown. In this case, a daily task removes the body if no row refers to it.
 */
function isNotStored(error: unknown): boolean {
  return error instanceof VaultError || isRolledBack(error)
}

/** @throws VaultError if the vault is suspended, read-only or deleted */
function assertChangeable({ state }: Vault): void {
  if (state === 'suspended') throw vaultErrors.suspended()
  if (state !== 'active') throw vaultErrors.readOnly()
}

/**
 * At the monthly limit, objects can still be deleted, because that lowers the cost.
 * @throws VaultError if the vault is suspended, read-only, deleted or at its monthly limit
 */
export function assertWritable(vault: Vault): void {
  assertChangeable(vault)
  if (vault.limitReached) throw vaultErrors.limitReached()
}
