import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { randomInt } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BodyStorage } from '../store/body_storage.js'
import { Database } from '../store/database.js'
import { FolderBodyStorage } from '../store/folder_body_storage.js'
import { ChangeCounters } from '../store/change_counters.js'
import { RowBodyStorage } from '../store/row_body_storage.js'
import { VaultSecretCipher } from '../store/secret_encryption.js'
import { VaultStore } from '../store/store.js'
import { VaultCache } from '../store/vault_cache.js'
import type { ObjectMetadata, StoredObject, BodyStorageName, Vault } from '../types.js'
import type { BodyStorages } from '../upkeep/sweep.js'

export const PLAIN_TEXT_METADATA: ObjectMetadata = {
  type: 'text/plain',
  headers: {},
  meta: {},
  checksums: {},
}

/**
 * A vault store without an HTTP server, with the real database and two folders. The second folder replaces a bucket.
 */
export interface StoreFixture {
  folder: string
  database: Database
  generations: ChangeCounters
  stores: BodyStorages & Required<Pick<BodyStorages, BodyStorageName>>
  store: VaultStore
  vault: Vault
  write(name: string, text: string): Promise<StoredObject>
  text(name: string): Promise<string | undefined>
  vaultNow(): Promise<{ bytes: number; objects: number; limit_reached: boolean }>
  end(): Promise<void>
}

export async function* streamOf(...parts: (string | Buffer)[]): AsyncIterable<Buffer> {
  for (const part of parts) yield Buffer.from(part)
}

/**
 * @param bucket backend that replaces the second folder
 * @param rows whether small bodies are stored in the database. Default: all bodies are files
 */
export async function createStoreFixture({
  bucket,
  rows = false,
}: { bucket?: BodyStorage; rows?: boolean } = {}): Promise<StoreFixture> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-bodies-'))
  const [first, second] = [join(folder, 'bodies'), join(folder, 'bucket')]
  await Promise.all([mkdir(first), mkdir(second)])
  const database = new Database(process.env.VAULT_DATABASE_URL!)
  const generations = new ChangeCounters()
  const seal = new VaultSecretCipher(process.env.VAULT_KEY!)
  const stores = {
    folder: new FolderBodyStorage(first, 0),
    bucket: bucket ?? new FolderBodyStorage(second, 0),
    ...(rows && { rows: new RowBodyStorage(database, { assertRoom: async () => {} }) }),
  }
  const store = new VaultStore(
    database,
    generations,
    new VaultCache(database, generations, seal),
    stores
  )
  const id = randomInt(1_000_000_000, 2_000_000_000)
  await database.rows(
    'insert into vault.vaults (id, account_id, key, link_key) values ($1, $1, $2, $3)',
    [id, `g${id}`, seal.encrypt('link')]
  )
  const vault = (await store.vaultById(id))!
  return {
    folder,
    database,
    generations,
    stores,
    store,
    vault,
    async write(name, text) {
      return store.put(vault, name, await store.receive(vault, streamOf(text)), PLAIN_TEXT_METADATA)
    },
    async text(name) {
      const object = await store.head(vault, name)
      if (!object) return undefined
      const chunks: Buffer[] = []
      for await (const chunk of store.read(object)) chunks.push(chunk as Buffer)
      return Buffer.concat(chunks).toString()
    },
    async vaultNow() {
      return (await database.row('select * from vault.vaults where id = $1', [id]))!
    },
    async end() {
      await database.rows('delete from vault.vaults where id = $1', [id])
      await database.rows('delete from vault.doomed')
      await database.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
