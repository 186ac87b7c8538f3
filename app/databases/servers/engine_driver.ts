import type {
  Access,
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
import type { ProgressReporter } from '#guest/engine'
import type { ServerInstance } from '#instances/public'
import type { Machine } from '#packages/machine/main'
import type { Readable } from 'node:stream'

export interface ServerState {
  status: 'absent' | 'running' | 'stopped' | 'failed'
  version: string | null
  problem: string | null
  /** Free bytes on the instance's disk. */
  freeBytes?: number | null
}

/** Result of the check whether a database server can be installed on an instance. */
export interface Preflight {
  /** Why the server cannot run on the instance. Null if it can. */
  unsupportedReason: string | null
  /** A problem that the server will have there, and what to do about it. Null if there is none. */
  warning: string | null
}

/** A database as the server reports it. Names include the server's `prefix`. */
export interface ServerDatabase {
  name: string
  /** Null if the server does not report it. */
  sizeBytes: number | null
  /** Number of tables or collections. */
  tables: number | null
}

export interface UserKey {
  /** The name on the server, including its `prefix`. */
  username: string
  /** MySQL: the host that the user may connect from. MongoDB: the authentication database. */
  host: string
}

/**
 * Manages the database server's process. Commands run on `server.machine`. A managed server can only be
 * observed.
 */
export interface ServerApi {
  /** Returns a warning for pages if the instance is small for the server. Does not contact the machine. */
  warning(instance: ServerInstance): string | null
  /** Returns why the instance's plan is too small for the server, or null. Does not contact the machine. */
  unsupportedReason(instance: Pick<ServerInstance, 'memoryBytes'>): string | null
  /** Checks memory, disk, processor, kernel and packages on the machine. */
  preflight(instance: ServerInstance, machine: Machine): Promise<Preflight>
  /** Installs and starts the server. Safe to run again after an interruption at any step. */
  install(server: Server, progress: ProgressReporter): Promise<void>
  state(server: Server): Promise<ServerState>
  act(server: Server, action: 'start' | 'stop' | 'restart'): Promise<void>
  /** Returns the last lines of the server's log. */
  log(server: Server): Promise<string>
}

/** Manages databases and their users. All names are the names on the server, with its `prefix`. */
export interface DatabaseAdminApi {
  /** Lists the account's databases, including those created outside Berth, without the system databases. */
  databases(server: Server): Promise<ServerDatabase[]>
  /** Lists the account's users, without the server's own. */
  users(server: Server): Promise<(MysqlUserRow | MongodbUserRow)[]>
  /** @throws 422 with an error at `database_name` or `username` if the name is taken */
  assertFree(server: Server, names: { database?: string; username?: string }): Promise<void>
  /**
   * Creates an empty database and a user with all rights on it. Both names must be free. Safe to run again
   * after an interruption. If it fails, it removes both.
   */
  create(
    server: Server,
    input: { database: string; username: string; password: string }
  ): Promise<void>
  /** Drops the database and all rights on it. Succeeds if the database does not exist. Keeps the users. */
  drop(server: Server, database: string): Promise<void>
  addUser(
    server: Server,
    input: {
      database: string
      username: string
      password: string
      access: Exclude<Access, 'other'>
    }
  ): Promise<void>
  setPassword(server: Server, user: UserKey, password: string): Promise<void>
  setAccess(
    server: Server,
    user: UserKey,
    input: { database: string; access: Exclude<Access, 'other'> }
  ): Promise<void>
  /** Sets the remote address that a user may connect from, in addition to the machine itself. Null: none. */
  setRemote(server: Server, user: UserKey, address: string | null): Promise<void>
  removeUser(server: Server, user: UserKey): Promise<void>
  /** Whether the user can connect to the database with this password. */
  opens(
    server: Server,
    input: { database: string; username: string; password: string }
  ): Promise<boolean>
  /** Returns connection examples to copy. `{password}` is the placeholder for the password. */
  connections(server: Server, input: { database: string; username: string }): ConnectionSnippet[]
  /** Returns environment variables for a project on the same instance, named as frameworks expect them. */
  environment(
    server: Server,
    input: { database: string; username: string; password: string }
  ): Record<string, string>
}

/** A result column. `kind` says whether it holds numbers. */
export interface ResultColumn {
  name: string
  kind: string
}

/** Reads and queries the contents of a database. */
export interface BrowseApi {
  tables(server: Server, database: string): Promise<TableSummary[]>
  rows(
    server: Server,
    database: string,
    input: {
      table: string
      /** Starts at 1. */
      page: number
      /** `TableRowsResult.next` of the previous page, for engines with keyset pagination. */
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
   * Streams all rows of a read-only query to `reader`, without truncation and without buffering them in
   * memory. Engines that cannot stream omit it; the download then contains the result of `query`.
   */
  download?(
    server: Server,
    database: string,
    request: { id: string; text: string },
    reader: {
      columns(columns: ResultColumn[]): void
      /** The next row is read when the returned promise settles. */
      row(cells: (string | null)[]): Promise<void>
    }
  ): Promise<void>
  /** Cancels a running query by the `id` that `query` was called with. Does nothing if it has ended. */
  cancel(server: Server, database: string, id: string): Promise<void>
}

/** Credentials entered by the customer, for engines that require them for import and export (MongoDB). */
export interface Credentials {
  username: string
  password: string
}

/** A dump as a stream. If the dump is incomplete, `body` emits an error instead of ending early. */
export interface Dump {
  body: Readable
  filename: string
  mediaType: string
  /**
   * Returns one sentence for each object that the dump lacks or contains only in part. Complete once `body`
   * has ended.
   */
  notes(): string[]
}

export interface TransferApi {
  /** File format of backups. */
  format: 'sql.gz' | 'mongodump.zip'
  /** @throws 422 at `file`, with the message from the specification, if the file type is not supported */
  assertFile(filename: string): void
  /** Whether import and export require a user name and password (product, "Databases"). */
  asksCredentials: boolean
  /** @throws 403 if the user may not use the database */
  assertCredentials(server: Server, database: string, credentials: Credentials): Promise<void>
  /**
   * Imports a file on the server's machine into the database. If it fails, the database is unchanged.
   * @returns counts of what the database now contains, and a sentence for each thing left out of the file
   */
  import(
    server: Server,
    database: string,
    request: {
      file: string
      filename: string
      /** Whether to keep existing data and add the file to it, instead of replacing it. */
      merge: boolean
      /**
       * Backup of the existing data, on the server's machine. With `merge`, the import is applied on top of
       * it.
       */
      base?: string
      saveValue(key: string, value: unknown): Promise<void>
      memory: Record<string, unknown>
      report(note: string, share?: number): Promise<void>
      signal: AbortSignal
      /**
       * To be called right before the new data replaces the old. Throws if the import was cancelled.
       * Afterwards it can no longer be cancelled.
       */
      commitPoint(): Promise<void>
    }
  ): Promise<{ contents: DatabaseContentCounts; notes: string[] }>
  /**
   * `acceptsMoreDamage`: whether to continue when the dump hits damage that the check before it did not
   * find.
   */
  export(server: Server, database: string, options?: { acceptsMoreDamage?: boolean }): Promise<Dump>
  contents(server: Server, database: string): Promise<DatabaseContentCounts>
}

/** Periodic checks of a running server. */
export interface ServerMonitoringApi {
  /**
   * Returns the size in bytes of the server's buffer pool, or null if the server does not report it. Also
   * configures the slow query log.
   */
  look(server: Server): Promise<{ pool: number | null }>
  /**
   * Returns the slow statements of a database.
   * @throws 409 if the server does not log them
   */
  slow(server: Server, database: string): Promise<SlowQuery[]>
  /** Clears the slow query log of the whole server. */
  forgetSlow(server: Server): Promise<void>
}

/** Everything that a database engine implements. Controllers and operations are shared by all engines. */
export interface EngineDriver {
  servers: ServerApi
  accounts: DatabaseAdminApi
  browse: BrowseApi
  transfer: TransferApi
  /** Omitted by engines for which only sizes are monitored. */
  watch?: ServerMonitoringApi
}
