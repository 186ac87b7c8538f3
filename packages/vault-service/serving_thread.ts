import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { vaultControlHandler } from './control/server.js'
import { ObjectCache } from './http/object_cache.js'
import { KeyAuthenticator } from './http/key_authenticator.js'
import { createVaultServer } from './http/server.js'
import { Journal } from './meter/journal.js'
import { S3BodyStorage, type BucketOptions } from './store/s3_body_storage.js'
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

/** Time for which running requests may continue when the service stops. The next process waits until they end. */
const STOP_TIMEOUT_MS = 10_000
/** Idle time after which a connection is closed while the service stops. */
const QUIET_CONNECTION_MS = 500

export interface ServingThreadOptions {
  host: string
  port: number
  databaseUrl: string
  /** Key that encrypts the secrets in the database. */
  key: string
  controlKey: string
  /** Folder for object bodies and request counts. */
  folder: string
  /** Migrations that must have run before the service reports that it is ready. */
  migrations?: string[]
  /** Bytes of disk space that uploads do not use, so that other programs have them. Default 1 GiB. */
  reserve?: number
  /** Bucket of another S3 server, in which vaults can store their bodies. */
  bucket?: BucketOptions
  /** Storage backend of new vaults. Default `folder`. */
  newVaults?: BodyStorageName
  /** Addresses and networks of proxies on other machines. `X-Forwarded-For` is trusted if it comes from one of them. */
  trustedProxies?: string
}

export interface SharedMemory {
  generations: SharedArrayBuffer
  wrongKeys: SharedArrayBuffer
  /** Random value that determines the slots in which wrong keys are counted. */
  salt: string
}

export function createSharedMemory(): SharedMemory {
  return {
    generations: new SharedArrayBuffer(ChangeCounters.bytes),
    wrongKeys: new SharedArrayBuffer(WrongKeyLimiter.bytes),
    salt: randomUUID(),
  }
}

/** Serves requests. In the main thread, maintenance also uses its database and storage backends (`upkeep/main.ts`). */
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
      ...(bucket && { bucket: new S3BodyStorage(bucket, spoolFolder(folder), disk) }),
    }
    this.store = new VaultStore(
      this.database,
      this.generations,
      vaults,
      this.stores,
      (object, error) => {
        log({
          level: 50,
          msg: 'the content of an object is missing',
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

  healthy(): Promise<boolean> {
    return this.database.row('select 1').then(Boolean, () => false)
  }

  async listen(port = this.#options.port): Promise<number> {
    this.#server.listen({ port, host: this.#options.host, reusePort: true })
    await once(this.#server, 'listening')
    const address = this.#server.address()
    return typeof address === 'object' && address ? address.port : port
  }

  /** Serves a connection that was accepted before this thread was ready. */
  take(socket: Socket): void {
    this.#server.emit('connection', socket)
    socket.resume()
  }

  /**
   * Finishes running requests for at most 10 s, while another process accepts new connections.
   * @param maintenance running maintenance, which must end before the database connections are closed
   */
  async leave(maintenance?: Promise<void>): Promise<void> {
    await this.#leave({ timeoutMs: STOP_TIMEOUT_MS, quiet: QUIET_CONNECTION_MS })
    await this.#end(maintenance)
  }

  /**
   * Finishes running requests for at most 10 s.
   * @param maintenance running maintenance, which must end before the database connections are closed
   */
  async close(maintenance?: Promise<void>): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    // Repeats this, because a connection becomes idle only after its last response.
    const idle = setInterval(() => this.#server.closeIdleConnections(), 100)
    const late = setTimeout(() => this.#server.closeAllConnections(), STOP_TIMEOUT_MS)
    await closed
    clearInterval(idle)
    clearTimeout(late)
    await this.#end(maintenance)
  }

  async #end(maintenance?: Promise<void>): Promise<void> {
    this.#journal.close()
    await maintenance
    await this.database.close()
  }
}
