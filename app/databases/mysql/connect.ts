import { serverNotRunning, databaseOperationFailed } from '#databases/errors'
import { defaultUserHost } from '#databases/mysql/default_user_host'
import { grantPattern, quoteText } from '#databases/mysql/sql_quoting'
import { managedUrl, MYSQL_SOCKET } from '#databases/servers/resolve_database_server'
import { connectViaRelay } from '#databases/servers/relay'
import type { Server, TemporaryUser } from '#databases/servers/server'
import { AppError } from '#core/app_error'
import { MachineError } from '#packages/machine/main'
import { type Connection, type ConnectionOptions, createConnection } from 'mysql2/promise'
import { randomBytes } from 'node:crypto'

export interface ConnectOptions {
  /** As the server calls it; none is chosen unless told. */
  database?: string
  /** Whose rights it has; the server's administrator unless told. */
  account?: Pick<TemporaryUser, 'user' | 'password'>
}

/** Milliseconds. */
const CONNECT_TIMEOUT_MS = 15_000

/**
 * A connection to a MySQL server: within an instance as its root over the socket, so that no port is
 * open to anybody. Whoever opens it ends it.
 * @throws refusal 503 when nobody answers there
 */
export async function connect(
  server: Server,
  { database, account }: ConnectOptions = {}
): Promise<Connection> {
  const way = server.instance
    ? { stream: await connectViaRelay(server.machine, [MYSQL_SOCKET]), user: 'root' }
    : wayOf(managedUrl('mysql')!)
  const options: ConnectionOptions = {
    ...way,
    ...(account && { user: account.user, password: account.password }),
    database,
    charset: 'utf8mb4',
    connectTimeout: CONNECT_TIMEOUT_MS,
    supportBigNumbers: true,
    bigNumberStrings: true,
    dateStrings: true,
    // A server may ask its client for files of the machine that it runs on: never given.
    flags: ['-LOCAL_FILES'],
    // Nor is code made of what it calls its columns.
    disableEval: true,
  }
  try {
    const connection = await createConnection(options)
    // What ends between two questions is told by the next one, and after the last by nobody.
    connection.on('error', () => {})
    if (!account) await connection.query(`SET SESSION sql_mode = 'STRICT_ALL_TABLES'`)
    return connection
  } catch (error) {
    throw toConnectError(error)
  }
}

/**
 * A connection for one piece of work, which is ended however that ends. What the server says to a
 * statement becomes a refusal in its words.
 */
export async function withConnection<T>(
  server: Server,
  options: ConnectOptions,
  work: (connection: Connection) => Promise<T>
): Promise<T> {
  const connection = await connect(server, options)
  try {
    return await work(connection)
  } catch (error) {
    throw convertMysqlError(error)
  } finally {
    connection.destroy()
  }
}

function wayOf({ hostname, port, username, password, searchParams }: URL): ConnectionOptions {
  const socketPath = searchParams.get('socket')
  const host = decodeURIComponent(hostname.replace(/^\[|\]$/g, ''))
  return {
    ...(socketPath ? { socketPath } : { host, port: Number(port || 3306) }),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    ...(searchParams.get('tls') === 'required' && { ssl: {} }),
  }
}

/** Errors of MySQL that speak of the connection, not of a statement. */
const CONNECTION_ERROR_CODES = new Set([
  'PROTOCOL_CONNECTION_LOST',
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ER_SERVER_SHUTDOWN',
  'ERR_STREAM_PREMATURE_CLOSE',
  'HANDSHAKE_NO_SSL_SUPPORT',
])

/**
 * What the server said, as a refusal; others as they are. The statement, in which a password may stand,
 * goes no further.
 */
export function convertMysqlError(error: unknown): unknown {
  if (error instanceof AppError || !(error instanceof Error) || !('code' in error)) return error
  if ('sql' in error) delete error.sql
  if (CONNECTION_ERROR_CODES.has(String(error.code))) return serverNotRunning(error)
  return databaseOperationFailed(`The database server says: ${error.message.slice(0, 500)}`, error)
}

function toConnectError(error: unknown): unknown {
  if (error instanceof AppError || error instanceof MachineError) return error
  const { code, message } = error as { code?: string; message: string }
  if (code && CONNECTION_ERROR_CODES.has(code)) return serverNotRunning(error)
  return databaseOperationFailed(
    `The database server rejected the sign-in of the console: ${message}`,
    error
  )
}

/** What an account for one piece of work may do in its database. */
export type TemporaryUserRights = 'read' | 'write' | 'dump' | 'all'

const GRANTS_BY_ROLE: Record<TemporaryUserRights, string> = {
  read: 'SELECT, SHOW VIEW',
  write:
    'SELECT, SHOW VIEW, INSERT, UPDATE, DELETE, EXECUTE, CREATE, ALTER, DROP, INDEX, REFERENCES, CREATE VIEW, CREATE TEMPORARY TABLES, LOCK TABLES, TRIGGER',
  dump: 'SELECT, SHOW VIEW, TRIGGER, EVENT, LOCK TABLES',
  all: 'ALL PRIVILEGES',
}

/** What names of such accounts begin with; pages leave them out. */
export const TEMPORARY_USER_PREFIX = 'berth_work_'
/** A day: no work takes longer, so that what is older is left over. Milliseconds. */
const ABANDONED_AFTER_MS = 24 * 3_600_000

/**
 * An account of the server for one piece of work: it can touch this database and nothing else, may it be
 * told what it will. Take it away when the work is over; what a broken-off process left is swept
 * with the next one.
 * @param database as the server calls it; need not be there yet
 */
export function createTemporaryUser(
  server: Server,
  database: string,
  rights: TemporaryUserRights
): Promise<TemporaryUser> {
  return withConnection(server, {}, async (connection) => {
    await sweep(connection)
    const user = `${TEMPORARY_USER_PREFIX}${Date.now().toString(36)}_${randomBytes(4).toString('hex')}`
    const password = randomBytes(24).toString('base64url')
    const who = `${quoteText(user)}@${quoteText(defaultUserHost(server))}`
    await connection.query(`CREATE USER ${who} IDENTIFIED BY ${quoteText(password)}`)
    await connection.query(
      `GRANT ${GRANTS_BY_ROLE[rights]} ON ${grantPattern(database)}.* TO ${who}`
    )
    if (rights === 'dump') await grantRoutines(connection, database, who)
    const drop = () =>
      withConnection(server, {}, async (again) => {
        await again.query(`DROP USER IF EXISTS ${who}`)
      })
    return { user, password, drop }
  })
}

/** Without it a dump leaves routines of others out in silence. Servers before 11.3 have no narrower right. */
async function grantRoutines(connection: Connection, database: string, who: string): Promise<void> {
  try {
    await connection.query(`GRANT SHOW CREATE ROUTINE ON ${grantPattern(database)}.* TO ${who}`)
  } catch {
    await connection.query(`GRANT SELECT ON mysql.proc TO ${who}`)
  }
}

async function sweep(connection: Connection): Promise<void> {
  const like = `${TEMPORARY_USER_PREFIX.replaceAll('_', '\\_')}%`
  const [rows] = await connection.query('SELECT User, Host FROM mysql.user WHERE User LIKE ?', [
    like,
  ])
  for (const { User, Host } of rows as { User: string; Host: string }[]) {
    const createdAt = parseInt(User.slice(TEMPORARY_USER_PREFIX.length).split('_')[0], 36)
    if (Date.now() - createdAt < ABANDONED_AFTER_MS) continue
    await connection.query(`DROP USER IF EXISTS ${quoteText(User)}@${quoteText(Host)}`)
  }
}
