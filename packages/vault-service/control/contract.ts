import type { CorsRule, BodyStorageName, VaultState } from '../types.js'

/**
 * A vault as the console (Berth's web application) shows it. In this file, times are ISO 8601, and money is decimal
 * text in USD.
 */
export interface VaultInfo {
  id: number
  key: string
  state: VaultState
  isPrivate: boolean
  cors: CorsRule[]
  monthlyLimit: string | null
  limitReached: boolean
  bytes: number
  objects: number
  store: BodyStorageName
  toMove: number
  /** Number of objects whose bytes are damaged, missing or unreadable. */
  findings: number
  /** Usage in the current calendar month (UTC). `cost`: price in USD of the usage beyond the included amount. */
  month: { requests: number; bytesIn: number; bytesOut: number; byteHours: string; cost: string }
}

export interface DailyVaultUsage {
  vaultId: number
  accountId: number
  /** Day in UTC, such as `2026-11-23`. */
  day: string
  requests: number
  bytesIn: number
  bytesOut: number
  byteHours: string
}

export interface FileEntry {
  name: string
  size: number
  type: string
  etag: string
  modifiedAt: string
}

export interface KeyEntry {
  id: number
  /** ID of the access key. Null for the vault's own secret, which clients use with the account number instead. */
  accessKeyId: string | null
  name: string
  readOnly: boolean
  expiresAt: string | null
  createdAt: string
}

type Call<Input, Output> = { input: Input; output: Output }

/**
 * The vault service's control API, which the console (Berth's web application) calls: `POST /control/<name>` with JSON
 * and `Authorization: Bearer <VAULT_CONTROL_KEY>`. An error is `{ code, message }` with an HTTP status. Repeating
 * `makeVault`, `setPrices`, `removeFiles`, `removeKey`, or `changeVault` without `endLinks` has no further effect.
 */
export interface ControlApi {
  /** If the vault already exists, returns the existing secret. */
  makeVault: Call<{ id: number; accountId: number; key: string }, { secret: string }>
  changeVault: Call<
    {
      id: number
      state?: VaultState
      isPrivate?: boolean
      cors?: CorsRule[]
      monthlyLimit?: string | null
      /** Storage backend to which the service moves the vault's objects. The vault stays available meanwhile. */
      store?: BodyStorageName
      /** Replaces the key that signs links, which invalidates all existing links. */
      endLinks?: true
    },
    Record<string, never>
  >
  vaults: Call<{ ids: number[] }, VaultInfo[]>
  /** In USD. The service uses the prices to compute costs and to enforce monthly limits. */
  setPrices: Call<
    { request: string; bandwidthGb: string; storageGb: string },
    Record<string, never>
  >
  stores: Call<
    Record<string, never>,
    { newVaults: BodyStorageName; stores: { name: BodyStorageName; problem: string | null }[] }
  >
  /** Counts requests by vault and month, newest first: `{ 7: { '2026-11': 12 } }`. */
  requestCounts: Call<{ ids: number[] }, Record<string, Record<string, number>>>
  usage: Call<{ id: number; from: string; to: string }, DailyVaultUsage[]>
  /** Lists completed days of all vaults: up to 1,000 rows after the row `after`, ordered by day and vault. */
  closedDays: Call<{ after: { day: string; vaultId: number } }, DailyVaultUsage[]>

  /**
   * Lists one level of folders and files below `path` (`a/b`, empty for the root). With `search`, lists only entries
   * whose names start with this text. Folders are full paths without the last slash.
   */
  list: Call<
    { id: number; path: string; search?: string; after?: string; limit: number },
    { folders: string[]; files: FileEntry[]; next?: string }
  >
  makeFolder: Call<{ id: number; path: string }, Record<string, never>>
  removeFolder: Call<{ id: number; path: string }, { removed: number }>
  removeFiles: Call<{ id: number; names: string[] }, { removed: string[] }>
  /**
   * Returns the path and query of a signed link. `expiresIn` is in seconds, at most 7 days. With `upload`, the link
   * accepts a PUT of exactly that many bytes.
   */
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
  /**
   * The old secret stays valid for `overlap` seconds. The returned `accessKeyId` is null for the vault's own secret.
   */
  rotateKey: Call<
    { id: number; keyId: number; overlap: number },
    { accessKeyId: string | null; secret: string }
  >
  findings: Call<{ id: number }, { name: string; kind: string; foundAt: string }[]>
  uploads: Call<
    { id: number },
    { id: string; name: string; startedAt: string; parts: number; bytes: number }[]
  >
  abortUpload: Call<{ id: number; uploadId: string }, Record<string, never>>
}

export type ControlName = keyof ControlApi
export type ControlInput<Name extends ControlName> = ControlApi[Name]['input']
export type ControlOutput<Name extends ControlName> = ControlApi[Name]['output']
