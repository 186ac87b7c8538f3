import type {
  AccessLevel,
  ConnectionSnippet,
  QueryResponse,
  TableRowsResult,
  SlowQuery,
  TableStructure,
  TableSummary,
} from '#databases/transformers/page_props'
import type { MongodbUserRow, MysqlUserRow } from '#databases/transformers/page_props'
import type { DatabaseContentCounts } from '#databases/models/database_backup'
import type { Server } from '#databases/servers/server'
import type { ProgressReporter } from '#guest/public_effects'
import type { ServerInstance } from '#instances/public'
import type { Machine } from '#packages/machine/main'
import type { Readable } from 'node:stream'

export interface ServerState {
  status: 'absent' | 'running' | 'stopped' | 'failed'
  version: string | null
  problem: string | null
  freeBytes?: number | null
}

export interface PreflightResult {
  unsupportedReason: string | null
  warning: string | null
}

export interface ServerDatabase {
  name: string
  sizeBytes: number | null
  tables: number | null
}

export interface DatabaseUserKey {
  username: string
  /** MySQL: the host from which the user may connect. MongoDB: the authentication database of the user. */
  host: string
}

/**
 * Manages the server's process on an instance by commands on its machine. Of a managed server, only reads the state.
 */
export interface ServerApi {
  /** Returns a warning if the instance is small. Only reads its plan. */
  warning(instance: ServerInstance): string | null
  /** Returns why the instance's plan is too small, or null. Only reads the plan. */
  unsupportedReason(instance: Pick<ServerInstance, 'memoryBytes'>): string | null
  preflight(instance: ServerInstance, machine: Machine): Promise<PreflightResult>
  /** Safe to run again after an interruption at any step. */
  install(server: Server, progress: ProgressReporter): Promise<void>
  state(server: Server): Promise<ServerState>
  act(server: Server, action: 'start' | 'stop' | 'restart'): Promise<void>
  log(server: Server): Promise<string>
}

/** Manages databases and users. Names include the server's `prefix`. */
export interface DatabaseAdminApi {
  /** Lists databases, including those created outside Berth. Omits system databases. */
  databases(server: Server): Promise<ServerDatabase[]>
  users(server: Server): Promise<(MysqlUserRow | MongodbUserRow)[]>
  /** @throws 422 with an error at `database_name` or `username` if a name is taken */
  assertFree(server: Server, names: { database?: string; username?: string }): Promise<void>
  /**
   * Creates an empty database and a user with all rights on it. Safe to run again. MySQL: if it fails, drops the user,
   * and the database if it has no tables. MongoDB: creates only the user; the first write creates the database.
   */
  create(
    server: Server,
    input: { database: string; username: string; password: string }
  ): Promise<void>
  /**
   * Drops the database and all rights of the account's users on it. Succeeds if the database does not exist. MongoDB
   * also drops the users of this database, MySQL drops no users.
   */
  drop(server: Server, database: string): Promise<void>
  addUser(
    server: Server,
    input: {
      database: string
      username: string
      password: string
      access: Exclude<AccessLevel, 'other'>
    }
  ): Promise<void>
  setPassword(server: Server, user: DatabaseUserKey, password: string): Promise<void>
  setAccess(
    server: Server,
    user: DatabaseUserKey,
    input: { database: string; access: Exclude<AccessLevel, 'other'> }
  ): Promise<void>
  /** Sets the remote address from which a user may also connect. Null: none. */
  setRemoteAddress(server: Server, user: DatabaseUserKey, address: string | null): Promise<void>
  removeUser(server: Server, user: DatabaseUserKey): Promise<void>
  canConnect(
    server: Server,
    input: { database: string; username: string; password: string }
  ): Promise<boolean>
  connectionSnippets(
    server: Server,
    input: { database: string; username: string }
  ): ConnectionSnippet[]
  /** Returns environment variables for a project on the same instance, with names that frameworks expect. */
  environmentVariables(
    server: Server,
    input: { database: string; username: string; password: string }
  ): Record<string, string>
}

/** A column of a result. `kind` is `number` if the column contains numbers. */
export interface ResultColumn {
  name: string
  kind: string
}

export interface BrowseApi {
  tables(server: Server, database: string): Promise<TableSummary[]>
  rows(
    server: Server,
    database: string,
    input: {
      table: string
      page: number
      /** `TableRowsResult.next` of the previous page. Only engines whose pages start after a key use it. */
      after?: string
      limit: number
      filter?: string
    }
  ): Promise<TableRowsResult>
  structure(server: Server, database: string, table: string): Promise<TableStructure>
  query(
    server: Server,
    database: string,
    request: { id: string; text: string; write: boolean; limit: number; timeout: number }
  ): Promise<QueryResponse>
  /**
   * Streams all rows of a read-only query without buffering. If an engine does not have this function, a download
   * contains the result of `query`, and fails if there are more rows.
   */
  download?(
    server: Server,
    database: string,
    request: { id: string; text: string },
    reader: {
      columns(columns: ResultColumn[]): void
      /** Receives a row. The next row is read when the promise resolves. */
      row(cells: (string | null)[]): Promise<void>
    }
  ): Promise<void>
  /** Cancels the query with this id, unless it has already ended. */
  cancel(server: Server, database: string, id: string): Promise<void>
}

/** User name and password that the customer enters. MongoDB requires them for import and export. */
export interface Credentials {
  username: string
  password: string
}

/** State of each table, by its name. `checksum` is that of all rows; null if the table is unreadable. */
export type TableStates = Record<string, { createdAt: string | null; checksum: number | null }>

/** A dump that is being written. If it is incomplete, `body` emits an error. */
export interface DatabaseDump {
  body: Readable
  filename: string
  mediaType: string
  /** Returns one sentence for each object that is missing or incomplete in the dump. Call it after `body` has ended. */
  notes(): string[]
}

export interface TransferApi {
  format: 'sql.gz' | 'mongodump.zip'
  /**
   * Checks the file name extension.
   * @throws 422 at `file`, with the specification's message
   */
  assertFile(filename: string): void
  /** Whether import and export require a user name and password (docs/product.md, "Databases"). */
  requiresCredentials: boolean
  assertCredentials(server: Server, database: string, credentials: Credentials): Promise<void>
  /**
   * Imports a file on the server's machine. If it fails, the database is unchanged, or the error says that the new
   * tables are in place or the old ones could not be moved back.
   * @returns counts of the database's contents, and a sentence for each skipped part of the file
   */
  import(
    server: Server,
    database: string,
    request: {
      file: string
      filename: string
      merge: boolean
      acceptsMissingEnd?: boolean
      /**
       * File on the server's machine with a backup of the existing data. With `merge`, MySQL imports it before the
       * dump. MongoDB ignores it.
       */
      base?: string
      /** For `merge`: result of `tableStates` before the backup. The import fails if a table has changed since. */
      statesBefore?: TableStates
      saveValue(key: string, value: unknown): Promise<void>
      memory: Record<string, unknown>
      report(note: string, share?: number): Promise<void>
      signal: AbortSignal
      /**
       * Call it right before the new data replaces the old. After it, the import can no longer be cancelled.
       * @throws if the import was cancelled
       */
      commitPoint(): Promise<void>
    }
  ): Promise<{ contents: DatabaseContentCounts; notes: string[] }>
  /**
   * Exports a database.
   * @param options.acceptsMoreDamage whether to continue if the dump finds damage that the check before it did not
   * find
   */
  export(
    server: Server,
    database: string,
    options?: { acceptsMoreDamage?: boolean }
  ): Promise<DatabaseDump>
  contents(server: Server, database: string): Promise<DatabaseContentCounts>
  /** Reads the state of all tables. Absent for engines whose `import` itself copies the existing data. */
  tableStates?(server: Server, database: string): Promise<TableStates>
}

export interface ServerMonitoringApi {
  /** Configures the slow query log. Returns the bytes of the server's buffer pool, if known. */
  prepareAndMeasure(server: Server): Promise<{ pool: number | null }>
  /** @throws 409 if the server does not log slow statements */
  listSlowQueries(server: Server, database: string): Promise<SlowQuery[]>
  clearSlowQueries(server: Server): Promise<void>
}

export interface EngineDriver {
  servers: ServerApi
  accounts: DatabaseAdminApi
  browse: BrowseApi
  transfer: TransferApi
  /** Absent for engines of which only sizes are monitored. */
  monitoring?: ServerMonitoringApi
}
