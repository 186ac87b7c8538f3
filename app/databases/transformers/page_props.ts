import type { ListMeta } from '#core/list_page'
import type { OperationView } from '#core/contracts/operation_view'
import type { Engine } from '#databases/engines'

declare module '#core/page_props' {
  interface PagePropsByFile {
    'customer/database/list': DatabaseListPage
    'customer/database/details': DatabasePage
  }
}

export interface ServerChoice {
  id: number | null
  name: string
  reason: string | null
}

export interface ServerView {
  /** Null: the managed server. */
  server_instance_id: number | null
  name: string
  /** `absent`: installed with the first database, or on request. `unknown`: the machine does not respond. */
  status: 'absent' | 'installing' | 'running' | 'stopped' | 'failed' | 'unknown'
  problem: string | null
  version: string | null
  /** Size of the databases that the viewer may see. */
  size_bytes: number | null
  free_bytes: number | null
  warning: string | null
  actions: Record<'install' | 'start' | 'stop' | 'restart' | 'log', string | null>
  operation: OperationView | null
}

export interface DatabaseRow {
  id: number
  /** Pages show `name`, the server uses `full_name`. */
  name: string
  full_name: string
  size_bytes: number | null
  /** Bytes (MongoDB), under the specification's name. */
  sizeOnDisk: number | null
  tables: number | null
  users: number
  last_backup_at: string | null
  operation: OperationView | null
}

/** `other`: a combination of rights that Berth does not offer. */
export type AccessLevel = 'read' | 'write' | 'all' | 'other'

/**
 * Rights of a MySQL user on one database. The specification names the first three columns. `access`
 * summarizes the rights.
 */
export interface MysqlUserRow {
  User: string
  Host: string
  Db: string
  access: AccessLevel
}

export interface MongodbUserRow {
  _id: string
  user: string
  db: string
  roles: { role: string; db: string }[]
  access: AccessLevel
}

export interface DatabaseListPage extends ListMeta {
  engine: Engine
  /** Null: neither an instance nor a managed server. */
  server: ServerView | null
  problem: string | null
  serverChoices: ServerChoice[]
  databases: DatabaseRow[]
  users: (MysqlUserRow | MongodbUserRow)[]
  droppedCopies: DroppedDatabaseBackupRow[]
  uploadLimit: number
}

export interface ConnectionSnippet {
  label: string
  /** Contains `{password}`, because Berth does not store passwords. */
  text: string
}

export interface BackupRow {
  id: number
  reason: 'nightly' | 'asked' | 'before_drop' | 'before_import'
  status: 'running' | 'done' | 'failed'
  size_bytes: number | null
  contents: Record<string, number> | null
  /** A sentence for each object that the backup lacks or has only in part. */
  notes: string[]
  error: string | null
  created_at: string
  /** The vault (bucket) for a copy, and the copy's state. */
  vault: { id: number; state: 'sent' | 'waiting' | 'failed'; error: string | null } | null
}

export interface DroppedDatabaseBackupRow extends BackupRow {
  database: string
  kept_until: string
}

export interface DatabasePage {
  engine: Engine
  server: ServerView
  database: DatabaseRow & { created_at: string }
  tables: TableSummary[] | null
  problem: string | null
  users: (MysqlUserRow | MongodbUserRow)[]
  backups: BackupRow[]
  backupPlan: { nightly: boolean; keep: number; days: number; vault_id: number | null }
  /** Vaults (buckets) for copies. `problem`: why it cannot receive any. */
  copyPlaces: { id: number; name: string; problem: string | null }[]
  connections: ConnectionSnippet[]
  projects: { id: number; name: string }[]
  uploadLimit: number
}

export interface TableSummary {
  name: string
  type: 'table' | 'view' | 'collection'
  /** Estimated by the server. */
  rows: number | null
  size_bytes: number | null
}

/** Response of `GET /database/{engine}/{id}/rows`. */
export interface TableRowsResult {
  columns: string[]
  /** Text, at most 2,000 characters. Null: SQL NULL. A document is one cell of JSON. */
  rows: (string | null)[][]
  more: boolean
  next?: string | null
  /** The table has no key for a cursor, so it is paged by offset, up to row 10,000. */
  isCounted?: boolean
}

/** Response of `GET /database/{engine}/{id}/structure`. */
export interface TableStructure {
  columns: {
    name: string
    type: string
    nullable: boolean
    key: string
    default: string | null
    extra: string
  }[]
  indexes: { name: string; columns: string[]; unique: boolean }[]
}

/** Response of `POST /database/{engine}/{id}/query`. */
export interface QueryResponse extends TableRowsResult {
  /** Null for a query that only reads. */
  changed: number | null
  /** Milliseconds. */
  took: number
}

/** `data` of the response to a failed statement (422, `statement_failed`). Null: not reported by the server. */
export interface StatementErrorDetails {
  number: number | null
  /** SQLSTATE, for example `42000`. */
  state: string | null
  /** Starts at 1. */
  line: number | null
  /** Offset in the whole statement, in characters. Starts at 0. */
  position: number | null
}

/**
 * Response of `GET /database/{engine}/{id}/slow`: statements over one second, grouped if only values
 * differ.
 */
export interface SlowQueries {
  queries: SlowQuery[]
  problem: string | null
}

export interface SlowQuery {
  /** `?` replaces values, which can be secret. */
  statement: string
  count: number
  /** Seconds. */
  mean: number
  max: number
  last: string
}
