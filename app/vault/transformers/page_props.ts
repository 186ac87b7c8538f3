import type { CustomerSummary } from '#core/contracts/customer_summary'
import type { ListMeta } from '#core/list_page'
import type { CorsRule } from '#packages/vault-service/types'
import type { VaultStatus } from '#vault/statuses'

export type { CorsRule, VaultStatus }
import type { BodyStorageName } from '#packages/vault-service/types'

export type { BodyStorageName }

declare module '#core/page_props' {
  interface Pages {
    'customer/vault/list': VaultListPage
    'customer/vault/details': VaultPage
    'admin/vault/list': AdminVaultListPage
  }
}

/** A vault in lists (product, "Vault"). */
export interface VaultRow {
  id: number
  name: string
  /** Its public name: in its addresses, and S3's bucket. */
  key: string
  status: VaultStatus
  /** Masked; null where it cannot be used. `POST /vault/secret` tells it. */
  secret_key: string | null
  /** Requests by month (UTC), newest first, this one always: `{ '2026-11': 12 }`. */
  request_count: Record<string, number>
  /** What it held when it was counted last. */
  bytes: number
  objects: number
  created_at: string
}

/** `customer/vault/list` */
export interface VaultListPage extends ListMeta {
  vaults: VaultRow[]
  vaultStatus: Record<string, string>
  /** The account's number, with which each secret key is used. */
  accessKeyId: number
  /** Where `POST /upload` and `GET /remove` are. */
  vaultHost: string
  /** Why no more can be made; null when they can. */
  full: string | null
}

/** A vault in staff's list. */
export interface AdminVaultRow extends Omit<VaultRow, 'secret_key'> {
  status_reason: string | null
  /** Where it is, how many objects are still elsewhere, how many are damaged. */
  store: BodyStorageName
  to_move: number
  damaged: number
  customer: CustomerSummary | null
}

/** `admin/vault/list` */
export interface AdminVaultListPage extends ListMeta {
  vaults: AdminVaultRow[]
  vaultStatus: Record<string, string>
}

export interface FileRow {
  /** Within its folder. */
  name: string
  /** The whole name. */
  path: string
  type: string
  /** Bytes. */
  size: number
  last_modified: string
}

/** One page of what is at a path. */
export interface ObjectListing {
  /** Whole paths, without a slash at the end. */
  folders: string[]
  files: FileRow[]
  /** Ask for what comes `after` this; null at the end. */
  next: string | null
}

/** What the service says of a vault now. */
export interface VaultDetails {
  is_private: boolean
  cors: CorsRule[]
  /** USD; null for none. */
  monthly_limit: string | null
  limit_reached: boolean
  bytes: number
  objects: number
  /** Objects that are damaged or missing. */
  damaged: number
  /** Takes no changes, because its account is suspended. */
  read_only: boolean
  /** This month (UTC); the cost in USD. */
  month: { requests: number; bytes_out: number; bytes_in: number; cost: string }
}

/** `customer/vault/details` */
export interface VaultPage {
  vault: VaultRow
  /** The folder that is shown; empty for the top. */
  path: string
  search: string
  objects: ObjectListing
  /** Null where the service does not answer. */
  facts: VaultDetails | null
  /** Why nothing can be changed or opened; null when it can. */
  barred: string | null
  /** Copies of databases in it, and databases that send theirs here. */
  databaseCopies: { copies: number; databases: number }
  /** Why objects and facts are missing; null when they are not. */
  problem: string | null
  /** Where its public addresses are: `{cdnHost}/{key}/{name}`. */
  cdnHost: string
  vaultHost: string
  accessKeyId: number
  s3Endpoint: string
  /** Bytes. */
  uploadLimit: number
}

/** An access key of a vault, without its secret. */
export interface AccessKeyRow {
  id: number
  /** Null: the vault's own secret. */
  access_key_id: string | null
  name: string
  read_only: boolean
  expires_at: string | null
  created_at: string
}

export interface UnfinishedUploadRow {
  id: string
  name: string
  started_at: string
  parts: number
  bytes: number
}

export interface DamagedObjectRow {
  name: string
  kind: string
  found_at: string
}

/** `GET /vault/:id/usage`: a column for each of the last 90 days (UTC). */
export interface UsageHistory {
  range: '90d'
  /** Seconds since the epoch of the first day's beginning, and between two of them. */
  from: number
  point: number
  count: number
  series: Record<'requests' | 'bytes_out' | 'bytes_in' | 'held', number[]>
}
