import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { randomInt } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Bodies } from '../store/bodies.js'
import { Database } from '../store/database.js'
import { FolderBodies } from '../store/folder.js'
import { Generations } from '../store/generations.js'
import { RowBodies } from '../store/rows.js'
import { Seal } from '../store/seal.js'
import { VaultStore } from '../store/store.js'
import { Vaults } from '../store/vaults.js'
import type { ObjectFacts, StoredObject, StoreName, Vault } from '../types.js'
import type { Stores } from '../upkeep/sweep.js'

export const plain: ObjectFacts = { type: 'text/plain', headers: {}, meta: {}, checksums: {} }

/** The store without its addresses: on the real database and two folders, of which the second stands for a bucket. */
export interface Ground {
  folder: string
  database: Database
  generations: Generations
  stores: Stores & Required<Pick<Stores, StoreName>>
  store: VaultStore
  vault: Vault
  /** Puts an object of this text. */
  write(name: string, text: string): Promise<StoredObject>
  text(name: string): Promise<string | undefined>
  vaultNow(): Promise<{ bytes: number; objects: number; limit_reached: boolean }>
  end(): Promise<void>
}

export async function* pieces(...parts: (string | Buffer)[]): AsyncIterable<Buffer> {
  for (const part of parts) yield Buffer.from(part)
}

/** `bucket`: another one in place of the second folder. `rows`: small bodies are rows; otherwise all are files. */
export async function ground({
  bucket,
  rows = false,
}: { bucket?: Bodies; rows?: boolean } = {}): Promise<Ground> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-bodies-'))
  const [first, second] = [join(folder, 'bodies'), join(folder, 'bucket')]
  await Promise.all([mkdir(first), mkdir(second)])
  const database = new Database(process.env.VAULT_DATABASE_URL!)
  const generations = new Generations()
  const seal = new Seal(process.env.VAULT_KEY!)
  const stores = {
    folder: new FolderBodies(first, 0),
    bucket: bucket ?? new FolderBodies(second, 0),
    ...(rows && { rows: new RowBodies(database, { assertRoom: async () => {} }) }),
  }
  const store = new VaultStore(
    database,
    generations,
    new Vaults(database, generations, seal),
    stores
  )
  const id = randomInt(1_000_000_000, 2_000_000_000)
  await database.rows(
    'insert into vault.vaults (id, account_id, key, link_key) values ($1, $1, $2, $3)',
    [id, `g${id}`, seal.seal('link')]
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
      return store.put(vault, name, await store.receive(vault, pieces(text)), plain)
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
