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
  /** Null: the database is on the managed server. */
  server_instance_id: number | null
  name: string
  /**
   * `absent`: not installed yet. The first database installs it, or a person does. `unknown`: the state could not be
   * read, for example because the machine does not respond.
   */
  status: 'absent' | 'installing' | 'running' | 'stopped' | 'failed' | 'unknown'
  problem: string | null
  version: string | null
  /** Total size of the databases that the person may see. */
  size_bytes: number | null
  free_bytes: number | null
  warning: string | null
  actions: Record<'install' | 'start' | 'stop' | 'restart' | 'log', string | null>
  operation: OperationView | null
}

export interface DatabaseRow {
  id: number
  /** Pages show `name`. On the server, the database is called `full_name`. */
  name: string
  full_name: string
  size_bytes: number | null
  /** Bytes. Only for MongoDB, whose name for it the specification uses. */
  sizeOnDisk: number | null
  tables: number | null
  users: number
  last_backup_at: string | null
  operation: OperationView | null
}

/** Rights of a user. `other`: a combination that Berth does not offer. */
export type AccessLevel = 'read' | 'write' | 'all' | 'other'

/**
 * Rights of a MySQL user on one database. The names of the first three fields are those of the specification.
 * `access` summarizes the rights.
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
  /** Null: no server can be selected; `problem` says why. */
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
  /** A sentence for each object that is missing or incomplete in the backup. */
  notes: string[]
  error: string | null
  created_at: string
  /** The vault (bucket) that receives a copy, and the state of the copy. */
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
  /** Vaults (buckets) that can be chosen for copies. `problem`: why a vault cannot receive any. */
  copyPlaces: { id: number; name: string; problem: string | null }[]
  connections: ConnectionSnippet[]
  projects: { id: number; name: string }[]
  uploadLimit: number
}

export interface TableSummary {
  name: string
  type: 'table' | 'view' | 'collection'
  /** Number of rows, estimated by the server. */
  rows: number | null
  size_bytes: number | null
}

/** Response of `GET /database/{engine}/{id}/rows`. */
export interface TableRowsResult {
  columns: string[]
  /** Cells as text of at most 2,000 characters. Null: SQL NULL. A document is one cell of JSON. */
  rows: (string | null)[][]
  more: boolean
  next?: string | null
  /** Whether pages are read by offset, up to row 10,000, because the table has no key for a cursor. */
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
  /** Number of changed rows or documents. Null for a query that only reads. */
  changed: number | null
  /** Duration in milliseconds. */
  took: number
}

/**
 * `data` of the response to a failed statement (422, `statement_failed`). Null: the server did not report the
 * value.
 */
export interface StatementErrorDetails {
  number: number | null
  /** SQLSTATE of the error, for example `42000`. */
  state: string | null
  /** Line of the error. Starts at 1. */
  line: number | null
  /** Offset of the error in the whole statement, in characters. Starts at 0. */
  position: number | null
}

/**
 * Response of `GET /database/{engine}/{id}/slow`: statements of the slow query log, by default those over one second.
 * Statements that differ only in values are one entry.
 */
export interface SlowQueries {
  queries: SlowQuery[]
  problem: string | null
}

export interface SlowQuery {
  /** Text of the statement, with `?` instead of values, which can be secret. */
  statement: string
  count: number
  /** Mean duration in seconds. */
  mean: number
  max: number
  last: string
}
