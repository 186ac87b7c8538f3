import type { ListMeta } from '#core/list_page'
import type { OperationView } from '#core/contracts/operation_view'
import type { Engine } from '#databases/engines'

declare module '#core/page_props' {
  interface Pages {
    'customer/database/list': DatabaseListPage
    'customer/database/details': DatabasePage
  }
}

/** A server that the customer can choose for databases: an instance, or the managed server. */
export interface ServerChoice {
  /** Null for the managed server. */
  id: number | null
  name: string
  /** Why it cannot be chosen now. Null if it can. */
  reason: string | null
}

export interface ServerView {
  /** Null for the managed server. */
  server_instance_id: number | null
  name: string
  /**
   * `absent`: not installed yet. The server is installed with the first database, or on request. `unknown`:
   * the machine does not respond.
   */
  status: 'absent' | 'installing' | 'running' | 'stopped' | 'failed' | 'unknown'
  /** The error, or why the status is unknown. */
  problem: string | null
  version: string | null
  /** Total size in bytes, as last measured, of the databases on this server that the viewer may see. */
  size_bytes: number | null
  /** Free bytes on the instance's disk. */
  free_bytes: number | null
  /** What to do if the instance's plan is too small for the server. Null if it is large enough. */
  warning: string | null
  /** Why each action is not available now. Null if it is. */
  actions: Record<'install' | 'start' | 'stop' | 'restart' | 'log', string | null>
  /** The running operation on the server, such as its installation. */
  operation: OperationView | null
}

export interface DatabaseRow {
  id: number
  /** `name` is the name shown to customers, `full_name` the one on the server. */
  name: string
  full_name: string
  size_bytes: number | null
  /** Size in bytes of a MongoDB database, with the name that the specification gives. */
  sizeOnDisk: number | null
  /** Number of tables or collections. */
  tables: number | null
  users: number
  last_backup_at: string | null
  operation: OperationView | null
}

/** Access level of a database user. `other`: a combination of rights that Berth does not offer. */
export type Access = 'read' | 'write' | 'all' | 'other'

/**
 * The rights of a MySQL user on one database. The specification names the first three columns. `access`
 * summarizes the rights.
 */
export interface MysqlUserRow {
  User: string
  Host: string
  Db: string
  access: Access
}

export interface MongodbUserRow {
  _id: string
  user: string
  db: string
  roles: { role: string; db: string }[]
  access: Access
}

/** Props of `customer/database/list`: `/database/mysql` and `/database/mongodb`. */
export interface DatabaseListPage extends ListMeta {
  engine: Engine
  /** Null if there is neither an instance nor a managed server. `problem` then says what to do. */
  server: ServerView | null
  problem: string | null
  serverChoices: ServerChoice[]
  databases: DatabaseRow[]
  users: (MysqlUserRow | MongodbUserRow)[]
  /** Backups of databases that were dropped from this server, newest first. */
  droppedCopies: DroppedDatabaseBackupRow[]
  /** Maximum size of an import file in bytes. */
  uploadLimit: number
}

/** Connection details to copy, such as an address or a code example. */
export interface ConnectionSnippet {
  label: string
  /** Contains `{password}` as a placeholder, because Berth does not store passwords. */
  text: string
}

export interface BackupRow {
  id: number
  reason: 'nightly' | 'asked' | 'before_drop' | 'before_import'
  status: 'running' | 'done' | 'failed'
  size_bytes: number | null
  /** Number of objects by label. */
  contents: Record<string, number> | null
  /** One sentence for each object that the backup lacks or contains only in part. */
  notes: string[]
  error: string | null
  created_at: string
  /**
   * The vault (bucket) that the backup is also copied to, and the state of that copy. Null if there is
   * none.
   */
  vault: { id: number; state: 'sent' | 'waiting' | 'failed'; error: string | null } | null
}

/** A backup of a database that was dropped. */
export interface DroppedDatabaseBackupRow extends BackupRow {
  /** The name of the dropped database. */
  database: string
  kept_until: string
}

/**
 * Props of `customer/database/details`: `/database/mysql/{id}`, tabs tables, query, users, backups,
 * connect.
 */
export interface DatabasePage {
  engine: Engine
  server: ServerView
  database: DatabaseRow & { created_at: string }
  /** Null if the server does not respond. `problem` then says why. */
  tables: TableSummary[] | null
  problem: string | null
  users: (MysqlUserRow | MongodbUserRow)[]
  backups: BackupRow[]
  backupPlan: { nightly: boolean; keep: number; days: number; vault_id: number | null }
  /** Vaults (buckets) that can receive copies of backups. `problem` says why one cannot. */
  copyPlaces: { id: number; name: string; problem: string | null }[]
  connections: ConnectionSnippet[]
  /** Projects on the same instance, whose environment can receive the connection settings. */
  projects: { id: number; name: string }[]
  uploadLimit: number
}

export interface TableSummary {
  name: string
  type: 'table' | 'view' | 'collection'
  /** The server's estimates. */
  rows: number | null
  size_bytes: number | null
}

/** A page of a table or collection: `GET /database/{engine}/{id}/rows`. */
export interface TableRowsResult {
  columns: string[]
  /** Cells as text, truncated to 2,000 characters. Null is SQL NULL. A document is one cell of JSON. */
  rows: (string | null)[][]
  more: boolean
  /** Cursor for the next page, sent as `after`. Null if there is no next page to read. */
  next?: string | null
  /**
   * Whether pages are read by row offset, because the table has no key for a cursor. Such pages end at row
   * 10,000.
   */
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
  /** Number of changed rows. Null for a query that only reads. */
  changed: number | null
  /** Duration in milliseconds. */
  took: number
}

/**
 * `data` in the response to a failed statement (422, `statement_failed`), next to `message`. Fields are
 * null if the server does not report them.
 */
export interface StatementErrorDetails {
  /** Error number of the server, e.g. 1064. */
  number: number | null
  /** SQLSTATE, e.g. `42000`. */
  state: string | null
  /** Line in the statement, starting at 1. */
  line: number | null
  /** Offset in characters from the start of the statement. */
  position: number | null
}

/**
 * Response of `GET /database/{engine}/{id}/slow`. Statements that took more than a second, grouped if they
 * differ only in values.
 */
export interface SlowQueries {
  queries: SlowQuery[]
  /** Why the list is empty, if the reason is not that no statement was slow. */
  problem: string | null
}

export interface SlowQuery {
  /** Values are replaced by `?`, because they can be secret. */
  statement: string
  count: number
  /** Seconds. `max` as well. */
  mean: number
  max: number
  /** ISO 8601 time of the last run. */
  last: string
}
