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
import type { ProgressReporter } from '#guest/public'
import type { ServerInstance } from '#instances/public'
import type { Machine } from '#packages/machine/main'
import type { Readable } from 'node:stream'

/** A server of databases as it is now. */
export interface ServerState {
  status: 'absent' | 'running' | 'stopped' | 'failed'
  version: string | null
  problem: string | null
  /** Bytes free on the disk of the instance. */
  freeBytes?: number | null
}

/** What speaks for and against a server on a machine, before it is installed. */
export interface Preflight {
  /** Why it cannot run there at all; null when it can. */
  unsupportedReason: string | null
  /** Why it will not be happy there, and what to do; null when all is well. */
  warning: string | null
}

/** A database as its server tells of it; names as the server has them. */
export interface ServerDatabase {
  name: string
  /** Bytes; null when the server cannot tell. */
  sizeBytes: number | null
  /** Tables or collections. */
  tables: number | null
}

/** Whom a call is about. */
export interface UserKey {
  /** As the server has it, with what keeps accounts apart before it. */
  username: string
  /** MySQL: the host that it may come from. MongoDB: the database that it signs in to. */
  host: string
}

/** What runs the server. Commands go over `server.machine`; the managed server is only looked at. */
export interface ServerApi {
  /** What can be told of the instance alone, for pages: no machine is asked. */
  warning(instance: ServerInstance): string | null
  /** Why its package cannot hold the server at all, before any machine is asked; null when it can. */
  unsupportedReason(instance: Pick<ServerInstance, 'memoryBytes'>): string | null
  /** What the machine itself says: memory, disk, processor, kernel, packages. */
  preflight(instance: ServerInstance, machine: Machine): Promise<Preflight>
  /** Installs and starts it; can run again after being cut off anywhere. */
  install(server: Server, progress: ProgressReporter): Promise<void>
  state(server: Server): Promise<ServerState>
  act(server: Server, action: 'start' | 'stop' | 'restart'): Promise<void>
  /** Its last lines. */
  log(server: Server): Promise<string>
}

/** Databases and who may use them. All names are as the server has them. */
export interface DatabaseAdminApi {
  /** All of the account's on this server, made by hand too, without the server's own. */
  databases(server: Server): Promise<ServerDatabase[]>
  /** All of the account's users; the server's own are left out. */
  users(server: Server): Promise<(MysqlUserRow | MongodbUserRow)[]>
  /** 422 at `database_name` or `username` for a name that is taken. */
  assertFree(server: Server, names: { database?: string; username?: string }): Promise<void>
  /**
   * Makes an empty database and a user with all rights in it, both of which were free. Can run again after
   * being cut off; when it fails neither is left.
   */
  create(
    server: Server,
    input: { database: string; username: string; password: string }
  ): Promise<void>
  /** Takes it away, and what users may do in it; fine when it is gone. Users stay. */
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
  /** From which address besides the machine itself a user may come; null: from none. */
  setRemote(server: Server, user: UserKey, address: string | null): Promise<void>
  removeUser(server: Server, user: UserKey): Promise<void>
  /** Whether a user gets into the database with this password. */
  opens(
    server: Server,
    input: { database: string; username: string; password: string }
  ): Promise<boolean>
  /** Texts to copy, `{password}` where the password goes. */
  connections(server: Server, input: { database: string; username: string }): ConnectionSnippet[]
  /** What a project on the same instance is given, by the names that frameworks look for. */
  environment(
    server: Server,
    input: { database: string; username: string; password: string }
  ): Record<string, string>
}

/** A column of a result: of numbers, or of anything else. */
export interface ResultColumn {
  name: string
  kind: string
}

/** Looking at what is in a database. */
export interface BrowseApi {
  tables(server: Server, database: string): Promise<TableSummary[]>
  rows(
    server: Server,
    database: string,
    input: {
      table: string
      /** From 1. */
      page: number
      /** Where the page before ended (`TableRowsResult.next`), for engines that go on from there. */
      after?: string
      /** Rows of a page. */
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
   * All rows of a query that only looks, one after the other and whole, while none waits in memory.
   * Left out by an engine that has no way to: what `query` answers is sent instead.
   */
  download?(
    server: Server,
    database: string,
    request: { id: string; text: string },
    reader: {
      columns(columns: ResultColumn[]): void
      /** The next row is read when it is settled. */
      row(cells: (string | null)[]): Promise<void>
    }
  ): Promise<void>
  /** Ends a running query by the id that it was asked with; fine when it is over. */
  cancel(server: Server, database: string, id: string): Promise<void>
}

/** What somebody gave of themselves, where the engine is asked on their behalf (MongoDB). */
export interface Credentials {
  username: string
  password: string
}

/** A dump that flows; an end before its time is an error of `body`, never a short file. */
export interface Dump {
  body: Readable
  filename: string
  mediaType: string
  /**
   * Returns the objects that the dump lacks or has only in part, one sentence each. Complete once `body` has
   * ended.
   */
  notes(): string[]
}

/** Data in and out. */
export interface TransferApi {
  /** How copies are kept. */
  format: 'sql.gz' | 'mongodump.zip'
  /** 422 at `file`, in the specified words, for a file that cannot be what is wanted. */
  assertFile(filename: string): void
  /** Whether import and export ask for user name and password (product, section 7). */
  asksCredentials: boolean
  /** 403 unless these may use the database. */
  assertCredentials(server: Server, database: string, credentials: Credentials): Promise<void>
  /**
   * Brings a file on the server's machine into the database: all of it, or nothing is changed.
   * @returns what is in it now, and what was left out of the file, in words
   */
  import(
    server: Server,
    database: string,
    request: {
      file: string
      filename: string
      /** Whether what is there stays beside it. */
      merge: boolean
      /** A copy of what was there, on the server's machine; with `merge` it is the ground. */
      base?: string
      saveValue(key: string, value: unknown): Promise<void>
      memory: Record<string, unknown>
      report(note: string, share?: number): Promise<void>
      signal: AbortSignal
      /** To be called right before the new takes the place of the old: throws, or nobody can cancel any more. */
      commitPoint(): Promise<void>
    }
  ): Promise<{ contents: DatabaseContentCounts; notes: string[] }>
  /** `acceptsMoreDamage`: whether the dump goes on after damage that is found only while it runs. */
  export(server: Server, database: string, options?: { acceptsMoreDamage?: boolean }): Promise<Dump>
  /** What is in it, counted. */
  contents(server: Server, database: string): Promise<DatabaseContentCounts>
}

/** What is looked after again and again, of a server that runs. */
export interface ServerMonitoringApi {
  /** Bytes that it may keep in memory; null where it does not say. Sees to its log of slow statements too. */
  look(server: Server): Promise<{ pool: number | null }>
  /** What took long in a database; refuses (409) where the server does not write it down. */
  slow(server: Server, database: string): Promise<SlowQuery[]>
  /** Forgets what took long, on the whole server. */
  forgetSlow(server: Server): Promise<void>
}

/** All that one kind of database server can do; controllers and operations exist once for all of them. */
export interface EngineDriver {
  servers: ServerApi
  accounts: DatabaseAdminApi
  browse: BrowseApi
  transfer: TransferApi
  /** Left out by an engine of which nothing is watched but sizes. */
  watch?: ServerMonitoringApi
}
