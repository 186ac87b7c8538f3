import { selectRows } from '#databases/mysql/transfer/database_contents'
import { defaultUserHost } from '#databases/mysql/default_user_host'
import { LONG_QUERY_TIMEOUT_MS, withConnection } from '#databases/mysql/connect'
import { RESERVED_NAME_PREFIX } from '#databases/names'
import { grantPattern, quoteText } from '#databases/mysql/sql_quoting'
import type { Server } from '#databases/servers/server'
import { createHash, randomBytes } from 'node:crypto'

const OWN_PREFIX = `${RESERVED_NAME_PREFIX}own_`

export const shortDatabaseKey = (database: string) =>
  createHash('sha256').update(database).digest('hex').slice(0, 16)

/**
 * The user that is the definer of a database's views, routines, triggers and events. Imports sign in as this user,
 * so that imported objects run with its rights. The user can access only this database and the one that an import
 * fills. Outside imports, the user is locked, but keeps its rights: existing objects run with them.
 */
export class DefinerUser {
  readonly user: string
  readonly password = randomBytes(24).toString('base64url')
  readonly #who: string

  private constructor(
    readonly server: Server,
    readonly database: string
  ) {
    this.user = `${OWN_PREFIX}${shortDatabaseKey(database)}`
    this.#who = `${quoteText(this.user)}@${quoteText(defaultUserHost(server))}`
  }

  static async open(server: Server, database: string, shadow: string): Promise<DefinerUser> {
    const own = new DefinerUser(server, database)
    const password = quoteText(own.password)
    await withConnection(server, { queryTimeoutMs: LONG_QUERY_TIMEOUT_MS }, async (connection) => {
      const run = (text: string) => connection.query(text)
      await run(`CREATE USER IF NOT EXISTS ${own.#who} IDENTIFIED BY ${password}`)
      await run(`ALTER USER ${own.#who} IDENTIFIED BY ${password} ACCOUNT UNLOCK`)
      // Ends sessions of an interrupted import. MySQL does not have this statement.
      await run(`KILL HARD CONNECTION USER ${own.#who}`).catch(() => {})
      await run(`GRANT ALL PRIVILEGES ON ${grantPattern(shadow)}.* TO ${own.#who}`)
    })
    return own
  }

  /**
   * Grants access to the database itself. Before this, the user of a first import can access only the database that
   * the import fills. Call it after the whole dump has been read.
   */
  async grantDatabaseAccess(): Promise<void> {
    await withConnection(this.server, { queryTimeoutMs: LONG_QUERY_TIMEOUT_MS }, (connection) =>
      connection.query(`GRANT ALL PRIVILEGES ON ${grantPattern(this.database)}.* TO ${this.#who}`)
    )
  }

  /** Drops the user if no object has it as definer. Otherwise locks it. */
  async close(shadow: string): Promise<void> {
    await withConnection(
      this.server,
      { queryTimeoutMs: LONG_QUERY_TIMEOUT_MS },
      async (connection) => {
        const definer = `${this.user}@${defaultUserHost(this.server)}`
        const [{ total }] = await selectRows<{ total: string }>(
          connection,
          `SELECT
           (SELECT COUNT(*) FROM information_schema.VIEWS WHERE TABLE_SCHEMA = ? AND DEFINER = ?) +
           (SELECT COUNT(*) FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = ? AND DEFINER = ?) +
           (SELECT COUNT(*) FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = ? AND DEFINER = ?) +
           (SELECT COUNT(*) FROM information_schema.EVENTS WHERE EVENT_SCHEMA = ? AND DEFINER = ?) AS total`,
          [1, 2, 3, 4].flatMap(() => [this.database, definer])
        )
        await connection.query(`KILL HARD CONNECTION USER ${this.#who}`).catch(() => {})
        if (Number(total) === 0)
          return void (await connection.query(`DROP USER IF EXISTS ${this.#who}`))
        await connection.query(`ALTER USER ${this.#who} ACCOUNT LOCK`)
        await connection
          .query(`REVOKE ALL PRIVILEGES ON ${grantPattern(shadow)}.* FROM ${this.#who}`)
          .catch(() => {})
      }
    )
  }
}
