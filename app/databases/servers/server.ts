import type { Engine } from '#databases/engines'
import type { ServerInstance } from '#instances/public'
import type { Machine } from '#packages/machine/main'

/**
 * A database server as seen by one account. On the managed server, only databases and users whose names start with
 * `prefix` belong to the account.
 */
export interface Server {
  engine: Engine
  accountId: number
  /** Null: the managed server, which many accounts share. */
  instance: ServerInstance | null
  /** The machine that stores import and backup files: the instance, or the console's machine for a managed server. */
  machine: Machine
  /** The machine that runs mariadb-dump and the programs of MySQL imports. Default: `machine`. */
  sandbox?: Machine
  /** Prefix of the names of the account's databases and users. Empty on an instance. */
  prefix: string
  /** Options of client programs that name the server, without credentials: `--socket=…`, or `--host=… --port=…`. */
  clientArgs: string[]
}

export interface TemporaryUser {
  user: string
  password: string
  /** Safe to call twice. */
  drop(): Promise<void>
}
