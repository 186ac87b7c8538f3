import type { Engine } from '#databases/engines'
import type { ServerInstance } from '#instances/public'
import type { Machine } from '#packages/machine/main'

/**
 * A server of databases as one account may use it. On an instance everything on it is the account's; on
 * the managed one only what begins with `prefix`.
 */
export interface Server {
  engine: Engine
  accountId: number
  /** Null: the managed server, which many accounts share. */
  instance: ServerInstance | null
  /** Where its files are: the instance, or this machine. */
  machine: Machine
  /** Runs the programs that parse files and data of customers. Default `machine`. */
  sandbox?: Machine
  /** What names of databases and users of this account begin with; empty on an instance. */
  prefix: string
  /** How a command finds the server, without an account: `--socket=…`, or `--host=… --port=…`. */
  clientArgs: string[]
}

/** An account of the server for one piece of work, which can touch one database only. */
export interface TemporaryUser {
  user: string
  password: string
  /** Takes it away; safe to call twice. */
  drop(): Promise<void>
}
