import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { controlHandler } from './control/server.js'
import { Hot } from './http/hot.js'
import { Keys } from './http/keys.js'
import { createVaultServer } from './http/server.js'
import { Journal } from './meter/journal.js'
import { BucketBodies, type BucketOptions } from './store/bucket.js'
import { Database } from './store/database.js'
import { FolderBodies } from './store/folder.js'
import { Generations } from './store/generations.js'
import { RowBodies } from './store/rows.js'
import { Seal } from './store/seal.js'
import { VaultStore } from './store/store.js'
import { Vaults } from './store/vaults.js'
import { WrongKeys } from './http/wrong_keys.js'
import { bodiesFolder, countsFolder, spoolFolder } from './folders.js'
import { trustedProxies } from '#packages/proxies/trusted'
import { createGracefulClose } from '#packages/service/rolling_restart'
import { readinessOf } from '#packages/service/readiness'
import type { StoreName } from './types.js'
import { recordDamage } from './upkeep/scrub.js'
import type { Stores } from './upkeep/sweep.js'

/** Milliseconds that requests may take once the service is to end; the next one waits for it. */
const STOP_TIMEOUT_MS = 10_000
/** Milliseconds after which a connection that nobody uses is closed then. */
const QUIET_CONNECTION_MS = 500

/** What the service is told; each thread gets all of it. */
export interface ServiceOptions {
  host: string
  port: number
  databaseUrl: string
  /** Seals secrets in the tables. */
  key: string
  /** Lets the console in. */
  controlKey: string
  /** Bodies and counts. */
  folder: string
  /** Names of the migrations without which it is not ready. */
  migrations?: string[]
  /** Bytes of the disk that are left for others; 1 GB unless told. */
  reserve?: number
  /** Another S3 store that vaults can be in. */
  bucket?: BucketOptions
  /** Where new vaults are; in the folder unless told. */
  newVaults?: StoreName
  /** Whose `X-Forwarded-For` is believed besides this machine's: addresses and networks. */
  trustedProxies?: string
}

/** What all threads of the process have together. */
export interface Shared {
  generations: SharedArrayBuffer
  wrongKeys: SharedArrayBuffer
  /** Which slots wrong keys are counted in. */
  salt: string
}

export function newShared(): Shared {
  return {
    generations: new SharedArrayBuffer(Generations.bytes),
    wrongKeys: new SharedArrayBuffer(WrongKeys.bytes),
    salt: randomUUID(),
  }
}

/** One thread's part: everything but upkeep, which the first one does for all. */
export class Serving {
  readonly database: Database
  readonly generations: Generations
  readonly stores: Stores
  readonly store: VaultStore
  readonly #journal: Journal
  readonly #server: Server
  readonly #leave: ReturnType<typeof createGracefulClose>

  readonly #options: ServiceOptions

  constructor(
    options: ServiceOptions,
    shared: Shared,
    readonly log: (entry: object) => void
  ) {
    this.#options = options

    const { databaseUrl, key, controlKey, folder, reserve, bucket, newVaults } = options
    this.database = new Database(databaseUrl)
    this.generations = new Generations(shared.generations)
    const seal = new Seal(key)
    const vaults = new Vaults(this.database, this.generations, seal)
    const disk = new FolderBodies(bodiesFolder(folder), reserve)
    this.stores = {
      folder: disk,
      rows: new RowBodies(this.database, disk),
      ...(bucket && { bucket: new BucketBodies(bucket, spoolFolder(folder)) }),
    }
    this.store = new VaultStore(
      this.database,
      this.generations,
      vaults,
      this.stores,
      (object, error) => {
        log({
          level: 50,
          msg: 'object without its bytes',
          vault: object.vaultId,
          name: object.name,
          err: String(error),
        })
        recordDamage(this.database, object, 'missing').catch(() => {})
      }
    )
    this.#journal = new Journal(countsFolder(folder))
    const { database, generations, store } = this
    this.#server = createVaultServer({
      store,
      generations,
      log,
      meter: this.#journal,
      hot: new Hot(store, generations),
      keys: new Keys(
        store,
        new WrongKeys(shared.wrongKeys, shared.salt),
        trustedProxies(options.trustedProxies)
      ),
      control: controlHandler({
        database,
        generations,
        seal,
        store,
        stores: this.stores,
        newVaults,
        key: controlKey,
      }),
      readiness: readinessOf(database, 'vault', options.migrations ?? []),
    })
    this.#leave = createGracefulClose(this.#server)
  }

  /** Whether the database answers. */
  healthy(): Promise<boolean> {
    return this.database.row('select 1').then(Boolean, () => false)
  }

  /** Listens beside the other threads at one port; gives the port. */
  async listen(port = this.#options.port): Promise<number> {
    this.#server.listen({ port, host: this.#options.host, reusePort: true })
    await once(this.#server, 'listening')
    const address = this.#server.address()
    return typeof address === 'object' && address ? address.port : port
  }

  /** Serves a connection that was taken in before. */
  take(socket: Socket): void {
    this.#server.emit('connection', socket)
    socket.resume()
  }

  /** Ends when what is under way has been answered, for 10 s at most; another process takes in what comes. */
  async leave(): Promise<void> {
    await this.#leave({ patience: STOP_TIMEOUT_MS, quiet: QUIET_CONNECTION_MS })
    await this.#end()
  }

  /** Answers what is under way, for 10 s at most. */
  async close(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    // A connection whose last answer went out after this began is idle only then.
    const idle = setInterval(() => this.#server.closeIdleConnections(), 100)
    const late = setTimeout(() => this.#server.closeAllConnections(), STOP_TIMEOUT_MS)
    await closed
    clearInterval(idle)
    clearTimeout(late)
    await this.#end()
  }

  async #end(): Promise<void> {
    this.#journal.close()
    await this.database.close()
  }
}
