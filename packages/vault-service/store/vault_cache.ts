import { hash } from 'node:crypto'
import type { AccessKey, CorsRule, BodyStorageName, Vault, VaultState } from '../types.js'
import type { Database } from './database.js'
import type { ChangeCounters } from './change_counters.js'
import type { VaultSecretCipher } from './secret_encryption.js'

interface VaultRow {
  id: number
  account_id: number
  key: string
  state: VaultState
  is_private: boolean
  cors: CorsRule[]
  limit_reached: boolean
  store: BodyStorageName
  link_key: string
  created_at: Date
}

interface KeyRow {
  vault_id: number
  access_key_id: string | null
  secret: string
  read_only: boolean
  expires_at: Date | null
}

interface Cached<T> {
  value: T
  vaultId: number
  /** Value of the vault's change counter, read before the entry was loaded. */
  generation: number
}

const MAX_CACHED_ENTRIES = 10_000

export function digestOf(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}

export class VaultCache {
  readonly #vaults = new Map<string, Cached<Vault>>()
  readonly #keys = new Map<string, Cached<AccessKey & { expiresAt: Date | null }>>()

  readonly #database: Database
  readonly #generations: ChangeCounters
  readonly #seal: VaultSecretCipher

  constructor(database: Database, generations: ChangeCounters, seal: VaultSecretCipher) {
    this.#database = database
    this.#generations = generations
    this.#seal = seal
  }

  byKey(key: string): Promise<Vault | undefined> {
    return this.#vault(key, 'select * from vault.vaults where key = $1', key)
  }

  byId(id: number): Promise<Vault | undefined> {
    return this.#vault(`#${id}`, 'select * from vault.vaults where id = $1', id)
  }

  byAccessKeyId(id: string): Promise<AccessKey | undefined> {
    return this.#key(`id ${id}`, 'select * from vault.keys where access_key_id = $1', id)
  }

  bySecret(secret: string): Promise<AccessKey | undefined> {
    const digest = digestOf(secret)
    const text = 'select * from vault.keys where secret_digest = $1'
    return this.#key(`secret ${digest.toString('base64')}`, text, digest)
  }

  async #vault(at: string, text: string, value: unknown): Promise<Vault | undefined> {
    const cached = this.#vaults.get(at)
    if (cached && this.#generations.ofVault(cached.vaultId) === cached.generation)
      return cached.value
    // The vault's ID must be known first, because its change counter must be read before the entry is loaded.
    const seen = cached?.vaultId ?? (await this.#database.row<VaultRow>(text, [value]))?.id
    if (seen === undefined) return undefined
    const generation = this.#generations.ofVault(seen)
    const row = await this.#database.row<VaultRow>(text, [value])
    if (!row || row.state === 'deleted') {
      this.#vaults.delete(at)
      return undefined
    }
    const vault = this.#vaultOf(row)
    keep(this.#vaults, at, { value: vault, vaultId: row.id, generation })
    return vault
  }

  async #key(at: string, text: string, value: unknown): Promise<AccessKey | undefined> {
    const cached = this.#keys.get(at)
    if (cached && this.#generations.ofVault(cached.vaultId) === cached.generation)
      return alive(cached.value)
    const seen = cached?.vaultId ?? (await this.#database.row<KeyRow>(text, [value]))?.vault_id
    if (seen === undefined) return undefined
    const generation = this.#generations.ofVault(seen)
    const row = await this.#database.row<KeyRow>(text, [value])
    if (!row) {
      this.#keys.delete(at)
      return undefined
    }
    const accessKey = {
      vaultId: row.vault_id,
      accessKeyId: row.access_key_id ?? undefined,
      secret: this.#seal.decrypt(row.secret),
      readOnly: row.read_only,
      expiresAt: row.expires_at,
    }
    keep(this.#keys, at, { value: accessKey, vaultId: row.vault_id, generation })
    return alive(accessKey)
  }

  #vaultOf(row: VaultRow): Vault {
    return {
      id: row.id,
      accountId: row.account_id,
      key: row.key,
      state: row.state,
      isPrivate: row.is_private,
      cors: row.cors,
      limitReached: row.limit_reached,
      store: row.store,
      linkKey: Buffer.from(this.#seal.decrypt(row.link_key), 'base64'),
      createdAt: row.created_at,
    }
  }
}

function keep<T>(map: Map<string, T>, at: string, value: T): void {
  if (map.size >= MAX_CACHED_ENTRIES) map.delete(map.keys().next().value!)
  map.set(at, value)
}

function alive<T extends { expiresAt: Date | null }>(key: T): T | undefined {
  return key.expiresAt && key.expiresAt.getTime() <= Date.now() ? undefined : key
}
