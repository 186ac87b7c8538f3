import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { vaultControlHandler } from './control/server.js'
import { ObjectCache } from './http/object_cache.js'
import { KeyAuthenticator } from './http/key_authenticator.js'
import { createVaultServer } from './http/server.js'
import { Journal } from './meter/journal.js'
import { BucketBodyStorage, type BucketOptions } from './store/bucket_body_storage.js'
import { Database } from './store/database.js'
import { FolderBodyStorage } from './store/folder_body_storage.js'
import { ChangeCounters } from './store/change_counters.js'
import { RowBodyStorage } from './store/row_body_storage.js'
import { VaultSecretCipher } from './store/secret_encryption.js'
import { VaultStore } from './store/store.js'
import { VaultCache } from './store/vault_cache.js'
import { WrongKeyLimiter } from './http/wrong_key_limiter.js'
import { bodiesFolder, requestCountsFolder, spoolFolder } from './folders.js'
import { createTrustedProxyCheck } from '#packages/proxies/trusted_proxies'
import { createGracefulClose } from '#packages/service/graceful_handover'
import { createReadinessCheck } from '#packages/service/readiness'
import type { BodyStorageName } from './types.js'
import { recordDamage } from './upkeep/scrub.js'
import type { BodyStorages } from './upkeep/sweep.js'

/** Milliseconds that requests may take once the service is to end; the next one waits for it. */
const STOP_TIMEOUT_MS = 10_000
/** Milliseconds after which a connection that nobody uses is closed then. */
const QUIET_CONNECTION_MS = 500

/** What the service is told; each thread gets all of it. */
export interface ServingThreadOptions {
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
  newVaults?: BodyStorageName
  /** Whose `X-Forwarded-For` is believed besides this machine's: addresses and networks. */
  trustedProxies?: string
}

/** What all threads of the process have together. */
export interface SharedMemory {
  generations: SharedArrayBuffer
  wrongKeys: SharedArrayBuffer
  /** Which slots wrong keys are counted in. */
  salt: string
}

export function createSharedMemory(): SharedMemory {
  return {
    generations: new SharedArrayBuffer(ChangeCounters.bytes),
    wrongKeys: new SharedArrayBuffer(WrongKeyLimiter.bytes),
    salt: randomUUID(),
  }
}

/** One thread's part: everything but upkeep, which the first one does for all. */
export class ServingThread {
  readonly database: Database
  readonly generations: ChangeCounters
  readonly stores: BodyStorages
  readonly store: VaultStore
  readonly #journal: Journal
  readonly #server: Server
  readonly #leave: ReturnType<typeof createGracefulClose>

  readonly #options: ServingThreadOptions

  constructor(
    options: ServingThreadOptions,
    shared: SharedMemory,
    readonly log: (entry: object) => void
  ) {
    this.#options = options

    const { databaseUrl, key, controlKey, folder, reserve, bucket, newVaults } = options
    this.database = new Database(databaseUrl)
    this.generations = new ChangeCounters(shared.generations)
    const seal = new VaultSecretCipher(key)
    const vaults = new VaultCache(this.database, this.generations, seal)
    const disk = new FolderBodyStorage(bodiesFolder(folder), reserve)
    this.stores = {
      folder: disk,
      rows: new RowBodyStorage(this.database, disk),
      ...(bucket && { bucket: new BucketBodyStorage(bucket, spoolFolder(folder)) }),
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
    this.#journal = new Journal(requestCountsFolder(folder))
    const { database, generations, store } = this
    this.#server = createVaultServer({
      store,
      generations,
      log,
      meter: this.#journal,
      hot: new ObjectCache(store, generations),
      keys: new KeyAuthenticator(
        store,
        new WrongKeyLimiter(shared.wrongKeys, shared.salt),
        createTrustedProxyCheck(options.trustedProxies)
      ),
      control: vaultControlHandler({
        database,
        generations,
        seal,
        store,
        stores: this.stores,
        newVaults,
        key: controlKey,
      }),
      readiness: createReadinessCheck(database, 'vault', options.migrations ?? []),
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
    await this.#leave({ timeoutMs: STOP_TIMEOUT_MS, quiet: QUIET_CONNECTION_MS })
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
