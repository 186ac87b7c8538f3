import type { CustomerSummary } from '#core/contracts/customer_summary'
import type { ListMeta } from '#core/list_page'
import type { CorsRule } from '#packages/vault-service/types'
import type { VaultStatus } from '#vault/statuses'

export type { CorsRule, VaultStatus }
import type { BodyStorageName } from '#packages/vault-service/types'

export type { BodyStorageName }

declare module '#core/page_props' {
  interface PagePropsByFile {
    'customer/vault/list': VaultListPage
    'customer/vault/details': VaultPage
    'admin/vault/list': AdminVaultListPage
  }
}

export interface VaultRow {
  id: number
  name: string
  key: string
  status: VaultStatus
  /**
   * A mask instead of the secret, or null if the vault cannot be used. `POST /vault/secret` returns the real secret.
   */
  secret_key: string | null
  /** Requests by month (UTC), newest first, always with the current month: `{ '2026-11': 12 }`. */
  request_count: Record<string, number>
  /** Bytes at the last synchronization. */
  bytes: number
  objects: number
  created_at: string
}

export interface VaultListPage extends ListMeta {
  vaults: VaultRow[]
  vaultStatus: Record<string, string>
  /** Access key ID for the API. Its secret key is that of the vault. */
  accessKeyId: number
  /** Base URL of the API's `POST /upload` and `GET /remove`. */
  vaultHost: string
  /** Reason why no more vaults can be created; null otherwise. */
  full: string | null
}

export interface AdminVaultRow extends Omit<VaultRow, 'secret_key'> {
  status_reason: string | null
  /** Storage backend of new objects. `to_move`: number of objects that are still in another one. */
  store: BodyStorageName
  to_move: number
  damaged: number
  customer: CustomerSummary | null
}

export interface AdminVaultListPage extends ListMeta {
  vaults: AdminVaultRow[]
  vaultStatus: Record<string, string>
}

export interface FileRow {
  name: string
  /** Full name of the object, including folders. */
  path: string
  type: string
  /** Size in bytes. */
  size: number
  last_modified: string
}

export interface ObjectListing {
  /** Full paths, without a trailing slash. */
  folders: string[]
  files: FileRow[]
  /** Cursor of the next page, sent as `after`; null on the last page. */
  next: string | null
}

export interface VaultDetails {
  is_private: boolean
  cors: CorsRule[]
  /** In USD; null for none. */
  monthly_limit: string | null
  limit_reached: boolean
  bytes: number
  objects: number
  damaged: number
  /** Whether changes are rejected because the vault's account is suspended or closed. */
  read_only: boolean
  /** Current month (UTC). `cost` is in USD. */
  month: { requests: number; bytes_out: number; bytes_in: number; cost: string }
}

export interface VaultPage {
  vault: VaultRow
  path: string
  search: string
  objects: ObjectListing
  /** Null if the service fails or does not know the vault. */
  facts: VaultDetails | null
  /** Reason why nobody can open or change the vault; null if it can be used. */
  barred: string | null
  databaseCopies: { copies: number; databases: number }
  /** The error of the service, if it did not list the vault: `objects` is then empty, and `facts` is null. */
  problem: string | null
  /** Public objects have the URL `{cdnHost}/{key}/{name}`. */
  cdnHost: string
  vaultHost: string
  accessKeyId: number
  s3Endpoint: string
  /** In bytes. */
  uploadLimit: number
}

export interface AccessKeyRow {
  id: number
  /** Null for the vault's own secret key. */
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

/** Usage per day (UTC) of the last 90 days. `held`: average stored bytes. */
export interface UsageHistory {
  range: '90d'
  /** Start of the first day, as Unix time in seconds. `point`: seconds of one day. */
  from: number
  point: number
  count: number
  series: Record<'requests' | 'bytes_out' | 'bytes_in' | 'held', number[]>
}
