import { databaseTaken, notSupported, userTaken } from '#databases/errors'
import { mysqlConnectionSnippets, mysqlEnvironment } from '#databases/mysql/connection_snippets'
import { defaultUserHost } from '#databases/mysql/default_user_host'
import { setRemoteAccess } from '#databases/mysql/remote_access'
import {
  accessFromGrant,
  type GrantableAccess,
  type GrantRow,
  privilegesSql,
} from '#databases/mysql/privileges'
import { LONG_QUERY_TIMEOUT_MS, withConnection } from '#databases/mysql/connect'
import {
  grantPattern,
  quoteName,
  quoteText,
  unescapeGrantPattern,
} from '#databases/mysql/sql_quoting'
import { RESERVED_NAME_PREFIX, isReservedDatabase } from '#databases/names'
import type {
  DatabaseAdminApi,
  ServerDatabase,
  DatabaseUserKey,
} from '#databases/servers/engine_driver'
import type { Server } from '#databases/servers/server'
import type { MysqlUserRow } from '#databases/transformers/page_props'
import { notFound } from '#core/app_error'
import type { Connection, RowDataPacket } from 'mysql2/promise'

const SYSTEM_USERS = new Set([
  '',
  'root',
  'mysql',
  'mariadb.sys',
  'debian-sys-maint',
  'PUBLIC',
  'mysql.sys',
  'mysql.session',
  'mysql.infoschema',
])

const quotedUser = (user: string, host: string) => `${quoteText(user)}@${quoteText(host)}`

export async function queryRows<Row>(
  connection: Connection,
  sql: string,
  values: unknown[] = []
): Promise<Row[]> {
  const [rows] = await connection.query<RowDataPacket[]>(sql, values)
  return rows as Row[]
}

/** Returns whether a user belongs to the account. On an instance: every user except system users and Berth's. */
function isTheirs({ prefix }: Server, user: string): boolean {
  return (
    !SYSTEM_USERS.has(user) && !user.startsWith(RESERVED_NAME_PREFIX) && user.startsWith(prefix)
  )
}

interface ListedGrant {
  User: string
  Host: string
}

async function usersOn(server: Server, connection: Connection): Promise<ListedGrant[]> {
  const rows = await queryRows<ListedGrant & { is_role?: string }>(
    connection,
    'SELECT * FROM mysql.user ORDER BY User, Host'
  )
  return rows
    .filter((row) => row.is_role !== 'Y' && isTheirs(server, row.User))
    .map(({ User, Host }) => ({ User, Host }))
}

/**
 * Lists the hosts from which a user may connect. Berth gives the user the same rights from each.
 * @throws 404 if the account has no user with this name and host
 */
async function hostsOf(
  server: Server,
  connection: Connection,
  { username, host }: DatabaseUserKey
): Promise<string[]> {
  const all = (await usersOn(server, connection)).filter(({ User }) => User === username)
  if (!all.some(({ Host }) => Host === host)) throw notFound('user')
  return all.map(({ Host }) => Host)
}

async function grantsOn(connection: Connection, user: string): Promise<GrantRow[]> {
  return queryRows<GrantRow>(connection, 'SELECT * FROM mysql.db WHERE User = ?', [user])
}

async function revoke(connection: Connection, { User, Host, Db, Grant_priv }: GrantRow) {
  const who = quotedUser(User, Host)
  await connection.query(`REVOKE ALL PRIVILEGES ON ${quoteName(Db)}.* FROM ${who}`)
  if (Grant_priv === 'Y') {
    await connection.query(`REVOKE GRANT OPTION ON ${quoteName(Db)}.* FROM ${who}`)
  }
}

async function grant(
  connection: Connection,
  {
    user,
    host,
    database,
    access,
  }: { user: string; host: string; database: string; access: GrantableAccess }
): Promise<void> {
  const who = quotedUser(user, host)
  await connection.query(`GRANT ${privilegesSql(access)} ON ${grantPattern(database)}.* TO ${who}`)
}

async function isThere(connection: Connection, database: string): Promise<boolean> {
  const grants = await queryRows(
    connection,
    'SELECT 1 FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = ?',
    [database]
  )
  return grants.length > 0
}

/** Drops a database without tables, which a failed creation has left behind. */
async function dropIfEmpty(connection: Connection, database: string): Promise<void> {
  const tables = await queryRows(
    connection,
    'SELECT 1 FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? LIMIT 1',
    [database]
  )
  if (tables.length === 0) {
    await connection.query(`DROP DATABASE IF EXISTS ${quoteName(database)}`)
  }
}

/** Error 1044: no access to the database. 1045: wrong user name or password. */
function isDenied(error: unknown): boolean {
  const { cause } = error as { cause?: { errno?: number } }
  return cause?.errno === 1044 || cause?.errno === 1045
}

export const mysqlAdmin: DatabaseAdminApi = {
  databases: (server) =>
    withConnection(server, {}, async (connection) => {
      const rows = await queryRows<{ name: string; bytes: string | null; tables: string }>(
        connection,
        `SELECT s.SCHEMA_NAME AS name, SUM(t.DATA_LENGTH + t.INDEX_LENGTH) AS bytes,
           COUNT(t.TABLE_NAME) AS tables
         FROM information_schema.SCHEMATA s
         LEFT JOIN information_schema.TABLES t ON t.TABLE_SCHEMA = s.SCHEMA_NAME
         WHERE ? = '' OR LEFT(s.SCHEMA_NAME, CHAR_LENGTH(?)) = ?
         GROUP BY s.SCHEMA_NAME ORDER BY s.SCHEMA_NAME`,
        [server.prefix, server.prefix, server.prefix]
      )
      return rows
        .filter(({ name }) => !isReservedDatabase('mysql', name) && name.startsWith(server.prefix))
        .filter(({ name }) => !name.startsWith(`${server.prefix}${RESERVED_NAME_PREFIX}`))
        .map(({ name, bytes, tables }): ServerDatabase => ({
          name,
          sizeBytes: Number(bytes ?? 0),
          tables: Number(tables),
        }))
    }),

  users: (server) =>
    withConnection(server, {}, async (connection) => {
      const grants = await queryRows<GrantRow>(connection, 'SELECT * FROM mysql.db ORDER BY Db')
      const users = await usersOn(server, connection)
      return users.flatMap(({ User, Host }): MysqlUserRow[] => {
        const own = grants.filter((row) => row.User === User && row.Host === Host)
        if (own.length === 0) return [{ User, Host, Db: '', access: 'other' }]
        return own.map((row) => ({
          User,
          Host,
          Db: unescapeGrantPattern(row.Db),
          access: accessFromGrant(row),
        }))
      })
    }),

  assertFree: (server, { database, username }) =>
    withConnection(server, {}, async (connection) => {
      if (database && (await isThere(connection, database))) throw databaseTaken()
      if (!username) return
      const users = await queryRows(connection, 'SELECT 1 FROM mysql.user WHERE User = ?', [
        username,
      ])
      if (users.length > 0) throw userTaken()
    }),

  create: (server, { database, username, password }) =>
    withConnection(server, {}, async (connection) => {
      const who = quotedUser(username, defaultUserHost(server))
      try {
        await connection.query(
          `CREATE DATABASE IF NOT EXISTS ${quoteName(database)} CHARACTER SET utf8mb4`
        )
        const secret = quoteText(password)
        await connection.query(`CREATE USER IF NOT EXISTS ${who} IDENTIFIED BY ${secret}`)
        await connection.query(`ALTER USER ${who} IDENTIFIED BY ${secret}`)
        await grant(connection, {
          user: username,
          host: defaultUserHost(server),
          database,
          access: 'all',
        })
      } catch (error) {
        await connection.query(`DROP USER IF EXISTS ${who}`).catch(() => {})
        await dropIfEmpty(connection, database).catch(() => {})
        throw error
      }
    }),

  drop: (server, database) =>
    withConnection(server, { queryTimeoutMs: LONG_QUERY_TIMEOUT_MS }, async (connection) => {
      await connection.query(`DROP DATABASE IF EXISTS ${quoteName(database)}`)
      // The rights are revoked too. Otherwise these users could access a later database of the same name.
      const grants = await queryRows<GrantRow>(connection, 'SELECT * FROM mysql.db')
      for (const row of grants) {
        if (unescapeGrantPattern(row.Db) === database && isTheirs(server, row.User)) {
          await revoke(connection, row)
        }
      }
    }),

  addUser: (server, { database, username, password, access }) =>
    withConnection(server, {}, async (connection) => {
      const who = quotedUser(username, defaultUserHost(server))
      try {
        await connection.query(`CREATE USER ${who} IDENTIFIED BY ${quoteText(password)}`)
      } catch (error) {
        throw (error as { errno?: number }).errno === 1396 ? userTaken() : error
      }
      try {
        await grant(connection, { user: username, host: defaultUserHost(server), database, access })
      } catch (error) {
        await connection.query(`DROP USER IF EXISTS ${who}`).catch(() => {})
        throw error
      }
    }),

  setPassword: (server, user, password) =>
    withConnection(server, {}, async (connection) => {
      for (const host of await hostsOf(server, connection, user)) {
        const who = quotedUser(user.username, host)
        await connection.query(`ALTER USER ${who} IDENTIFIED BY ${quoteText(password)}`)
      }
    }),

  setAccess: (server, user, { database, access }) =>
    withConnection(server, {}, async (connection) => {
      if (!(await isThere(connection, database))) throw notFound('database')
      const hosts = await hostsOf(server, connection, user)
      const before = await grantsOn(connection, user.username)
      for (const host of hosts) {
        const rows = before.filter(
          (row) => row.Host === host && unescapeGrantPattern(row.Db) === database
        )
        for (const row of rows) await revoke(connection, row)
        await grant(connection, { user: user.username, host, database, access })
      }
    }),

  setRemoteAddress: async (server, user, address) => {
    if (!server.instance) {
      throw notSupported(
        'Users of the managed database server can already connect from anywhere, through its own address.'
      )
    }
    await setRemoteAccess(server, user, address)
  },

  removeUser: (server, user) =>
    withConnection(server, {}, async (connection) => {
      const hosts = await hostsOf(server, connection, user)
      // Removing the user's entry for local connections also removes its entries for remote addresses.
      const gone = user.host === defaultUserHost(server) ? hosts : [user.host]
      for (const host of gone)
        await connection.query(`DROP USER IF EXISTS ${quotedUser(user.username, host)}`)
    }),

  async canConnect(server, { database, username, password }) {
    try {
      return await withConnection(
        server,
        { database, account: { user: username, password } },
        async () => true
      )
    } catch (error) {
      if (isDenied(error)) return false
      throw error
    }
  },

  connectionSnippets: mysqlConnectionSnippets,
  environmentVariables: mysqlEnvironment,
}
