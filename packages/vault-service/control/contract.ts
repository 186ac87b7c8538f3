import type { CorsRule, BodyStorageName, VaultState } from '../types.js'

/** What a vault has and used, for pages of the console. Times as ISO 8601, money as decimal text (USD). */
export interface VaultInfo {
  id: number
  key: string
  state: VaultState
  isPrivate: boolean
  cors: CorsRule[]
  monthlyLimit: string | null
  limitReached: boolean
  /** Bytes and objects that it holds now. */
  bytes: number
  objects: number
  store: BodyStorageName
  /** Objects that are not where new ones go: what is still to be moved. */
  toMove: number
  /** Objects whose bytes are damaged or missing. */
  findings: number
  /** This calendar month (UTC) and what it costs beyond what is included, USD. */
  month: { requests: number; bytesIn: number; bytesOut: number; byteHours: string; cost: string }
}

export interface DailyVaultUsage {
  vaultId: number
  accountId: number
  /** `2026-11-23`, UTC. */
  day: string
  requests: number
  bytesIn: number
  bytesOut: number
  byteHours: string
}

export interface FileEntry {
  /** The whole name. */
  name: string
  size: number
  type: string
  etag: string
  modifiedAt: string
}

export interface KeyEntry {
  id: number
  /** Null: the vault's own secret, used with the account's number. */
  accessKeyId: string | null
  name: string
  readOnly: boolean
  expiresAt: string | null
  createdAt: string
}

type Call<Input, Output> = { input: Input; output: Output }

/**
 * What the console asks of the vault service: `POST /control/<name>` with JSON and the header
 * `Authorization: Bearer <VAULT_CONTROL_KEY>`. A refusal is `{ code, message }` with its status.
 * Every call can be sent again.
 */
export interface ControlApi {
  /** Makes it, or gives the secret of the one that is there. */
  makeVault: Call<{ id: number; accountId: number; key: string }, { secret: string }>
  changeVault: Call<
    {
      id: number
      state?: VaultState
      isPrivate?: boolean
      cors?: CorsRule[]
      monthlyLimit?: string | null
      /** Move its objects there while it serves. */
      store?: BodyStorageName
      /** Another key for links: those that were given out end. */
      endLinks?: true
    },
    Record<string, never>
  >
  vaults: Call<{ ids: number[] }, VaultInfo[]>
  /** The stores that are set up, why one cannot be used now, and where new vaults are. */
  stores: Call<
    Record<string, never>,
    { newVaults: BodyStorageName; stores: { name: BodyStorageName; problem: string | null }[] }
  >
  /** By vault, requests of each month, newest first: `{ 7: { '2026-11': 12 } }`. */
  requestCounts: Call<{ ids: number[] }, Record<string, Record<string, number>>>
  usage: Call<{ id: number; from: string; to: string }, DailyVaultUsage[]>
  /** Days that are over, of all vaults: 1,000 after that day and vault, in their order. */
  closedDays: Call<{ after: { day: string; vaultId: number } }, DailyVaultUsage[]>

  /** One level: folders (whole paths without the last slash) and files below `path` (`a/b`, empty for the top), or what begins with `search` there. */
  list: Call<
    { id: number; path: string; search?: string; after?: string; limit: number },
    { folders: string[]; files: FileEntry[]; next?: string }
  >
  makeFolder: Call<{ id: number; path: string }, Record<string, never>>
  removeFolder: Call<{ id: number; path: string }, { removed: number }>
  removeFiles: Call<{ id: number; names: string[] }, { removed: string[] }>
  /** Path and query at the vault's address. Seconds, at most 7 days. `upload`: PUT that many bytes there. */
  link: Call<
    {
      id: number
      name: string
      expiresIn: number
      download?: boolean
      upload?: { size: number }
    },
    { path: string }
  >

  keys: Call<{ id: number }, KeyEntry[]>
  makeKey: Call<
    { id: number; name: string; readOnly: boolean },
    { accessKeyId: string; secret: string }
  >
  removeKey: Call<{ id: number; keyId: number }, Record<string, never>>
  /** A new secret (of the vault's own: with the account's number); the old one ends after `overlap` seconds. */
  rotateKey: Call<
    { id: number; keyId: number; overlap: number },
    { accessKeyId: string | null; secret: string }
  >
  findings: Call<{ id: number }, { name: string; kind: string; foundAt: string }[]>
  /** Uploads in parts that were begun and not ended. */
  uploads: Call<
    { id: number },
    { id: string; name: string; startedAt: string; parts: number; bytes: number }[]
  >
  abortUpload: Call<{ id: number; uploadId: string }, Record<string, never>>
}

export type ControlName = keyof ControlApi
export type ControlInput<Name extends ControlName> = ControlApi[Name]['input']
export type ControlOutput<Name extends ControlName> = ControlApi[Name]['output']
