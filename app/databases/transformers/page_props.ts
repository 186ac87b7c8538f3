import type { ListMeta } from '#core/list_page'
import type { OperationView } from '#core/models/operation'
import type { Engine } from '#databases/engines'

declare module '#core/page_props' {
  interface Pages {
    'customer/database/list': DatabaseListPage
    'customer/database/details': DatabasePage
  }
}

/** An instance that databases can be kept on, or the managed server. */
export interface ServerChoice {
  /** Null: the managed server. */
  id: number | null
  name: string
  /** Why it cannot be chosen now. */
  reason: string | null
}

/** The server that a page is about. */
export interface ServerView {
  /** Null: the managed server. */
  server_instance_id: number | null
  name: string
  /** `absent`: installed with the first database, or when asked. `unknown`: the machine does not answer. */
  status: 'absent' | 'installing' | 'running' | 'stopped' | 'failed' | 'unknown'
  /** What went wrong, or why it is not known. */
  problem: string | null
  version: string | null
  /** Bytes of all databases on it; null when not known. */
  size_bytes: number | null
  /** Bytes free on the disk of the instance. */
  free_bytes: number | null
  /** When the package is too small for it: what to do. */
  warning: string | null
  /** Each with the reason why it cannot be done now; null when it can. */
  actions: Record<'install' | 'start' | 'stop' | 'restart' | 'log', string | null>
  /** Installing, or what else is being done with it. */
  operation: OperationView | null
}

/** A database in the list. */
export interface DatabaseRow {
  id: number
  /** As people call it, and as the server does. */
  name: string
  full_name: string
  size_bytes: number | null
  /** MongoDB, as the specification has it. */
  sizeOnDisk: number | null
  /** Tables or collections. */
  tables: number | null
  users: number
  last_backup_at: string | null
  operation: OperationView | null
}

/** What a user of a database may do in it. */
export type Access = 'read' | 'write' | 'all' | 'other'

/** One right of a MySQL user: three specified columns, and what Berth makes of it. */
export interface MysqlUserRow {
  User: string
  Host: string
  Db: string
  access: Access
}

/** A user of MongoDB. */
export interface MongodbUserRow {
  _id: string
  user: string
  db: string
  roles: { role: string; db: string }[]
  access: Access
}

/** `customer/database/list`: `/database/mysql` and `/database/mongodb` */
export interface DatabaseListPage extends ListMeta {
  engine: Engine
  /** Null when there is no instance and no managed server: `problem` says what to do. */
  server: ServerView | null
  problem: string | null
  serverChoices: ServerChoice[]
  databases: DatabaseRow[]
  users: (MysqlUserRow | MongodbUserRow)[]
  /** Of databases that were dropped from this server, newest first. */
  droppedCopies: DroppedDatabaseBackupRow[]
  /** Bytes; of one import. */
  uploadLimit: number
}

/** One value to copy, or a block of them. */
export interface ConnectionSnippet {
  label: string
  /** `{password}` stands where the password goes: it is not kept. */
  text: string
}

/** A copy of a database. */
export interface BackupRow {
  id: number
  reason: 'nightly' | 'asked' | 'before_drop' | 'before_import'
  status: 'running' | 'done' | 'failed'
  size_bytes: number | null
  /** Counts by what they count, in words. */
  contents: Record<string, number> | null
  /** The objects that the copy lacks or has only in part, one sentence each. */
  notes: string[]
  error: string | null
  created_at: string
  /** Where it goes as well, and how far that is; null for nowhere. */
  vault: { id: number; state: 'sent' | 'waiting' | 'failed'; error: string | null } | null
}

/** A copy of a database that was dropped. */
export interface DroppedDatabaseBackupRow extends BackupRow {
  /** The name that it had. */
  database: string
  /** When the copy is deleted. */
  kept_until: string
}

/** `customer/database/details`: `/database/mysql/{id}`, tabs tables, query, users, backups, connect */
export interface DatabasePage {
  engine: Engine
  server: ServerView
  database: DatabaseRow & { created_at: string }
  /** Asked from the server; null when it does not answer, `problem` says why. */
  tables: TableSummary[] | null
  problem: string | null
  users: (MysqlUserRow | MongodbUserRow)[]
  backups: BackupRow[]
  backupPlan: { nightly: boolean; keep: number; days: number; vault_id: number | null }
  /** Vaults that copies can go into as well, and why one takes none. */
  copyPlaces: { id: number; name: string; problem: string | null }[]
  connections: ConnectionSnippet[]
  /** Projects on the same instance that can be given its address. */
  projects: { id: number; name: string }[]
  uploadLimit: number
}

/** A table, view or collection. */
export interface TableSummary {
  name: string
  type: 'table' | 'view' | 'collection'
  /** As the server estimates them. */
  rows: number | null
  size_bytes: number | null
}

/** `GET /database/{engine}/{id}/rows`: a page of a table or collection. */
export interface TableRowsResult {
  columns: string[]
  /** Cells as text, cut at 2,000 characters; null is NULL. Documents as one cell of JSON. */
  rows: (string | null)[][]
  /** Whether there is more after these. */
  more: boolean
  /** Of a page of a table: sent back as `after` it gives the next one. Null where none can be read. */
  next?: string | null
  /** Rows are counted from the first, since the table has no key to go by: they end at 10,000. */
  isCounted?: boolean
}

/** `GET /database/{engine}/{id}/structure` */
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

/** `POST /database/{engine}/{id}/query` */
export interface QueryResponse extends TableRowsResult {
  /** Rows that were changed; null for a question. */
  changed: number | null
  /** Milliseconds. */
  took: number
}

/**
 * What a statement that failed is answered with (422, `statement_failed`), beside `message`: `data` of the
 * answer. Null where the server does not say.
 */
export interface StatementErrorDetails {
  /** The server's own number, e.g. 1064. */
  number: number | null
  /** SQLSTATE, e.g. `42000`. */
  state: string | null
  /** Where in the statement, from 1. */
  line: number | null
  /** Characters from the start of the statement. */
  position: number | null
}

/** `GET /database/{engine}/{id}/slow`: statements of more than a second that differ only in values. */
export interface SlowQueries {
  queries: SlowQuery[]
  /** Why there is nothing to be seen, where that is not because nothing was slow. */
  problem: string | null
}

export interface SlowQuery {
  /** With `?` for each value: they are secrets. */
  statement: string
  count: number
  /** Seconds. */
  mean: number
  max: number
  /** ISO time of the last run. */
  last: string
}
