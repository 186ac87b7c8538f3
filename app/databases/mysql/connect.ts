import {
  databaseOperationFailed,
  responseTooLarge,
  serverNotRunning,
  serverTooSlow,
} from '#databases/errors'
import { unwrapPromiseConnection } from '#databases/mysql/run_statement'
import { defaultUserHost } from '#databases/mysql/default_user_host'
import { grantPattern, quoteText } from '#databases/mysql/sql_quoting'
import { managedServerUrl, MYSQL_SOCKET } from '#databases/servers/resolve_database_server'
import { connectViaRelay } from '#databases/servers/relay'
import type { Server, TemporaryUser } from '#databases/servers/server'
import { AppError } from '#core/app_error'
import { MachineError } from '#packages/machine/main'
import { type Connection, type ConnectionOptions, createConnection } from 'mysql2/promise'
import { randomBytes } from 'node:crypto'
import type { Duplex } from 'node:stream'

export interface ConnectOptions {
  /** Name of the database on the server. Default: none is selected. */
  database?: string
  /** User to sign in as. Default: the server's administrator. */
  account?: Pick<TemporaryUser, 'user' | 'password'>
  /** Milliseconds. Only `withConnection` uses it. Default: one minute. */
  queryTimeoutMs?: number
}

const CONNECT_TIMEOUT_MS = 15_000
const QUERY_TIMEOUT_MS = 60_000
/** For queries that read or change whole databases. */
export const LONG_QUERY_TIMEOUT_MS = 4 * 3_600_000
const MAX_SIGN_IN_BYTES = 1024 ** 2
/** Enough for the names of 50,000 tables. In memory, rows take up to 15 times as much. */
const MAX_RESPONSE_BYTES = 4 * 1024 ** 2

/**
 * Connects to the server. On an instance, uses the Unix socket, so that no port is open; there the default user is
 * root. The caller must close the connection.
 * @throws AppError 503 if the server does not respond
 */
export async function connectToMysql(
  server: Server,
  { database, account }: ConnectOptions = {}
): Promise<Connection> {
  const relay = server.instance && (await connectViaRelay(server.machine, [MYSQL_SOCKET]))
  const way = relay ? { stream: relay, user: 'root' } : wayOf(managedServerUrl('mysql')!)
  const options: ConnectionOptions = {
    ...way,
    ...(account && { user: account.user, password: account.password }),
    database,
    charset: 'utf8mb4',
    connectTimeout: CONNECT_TIMEOUT_MS,
    supportBigNumbers: true,
    bigNumberStrings: true,
    dateStrings: true,
    // With LOAD DATA LOCAL, the server could read files of this machine.
    flags: ['-LOCAL_FILES'],
    // Otherwise mysql2 would generate JavaScript that contains column names.
    disableEval: true,
  }
  let received = 0
  const count = (chunk: Buffer) => {
    received += chunk.length
    if (received > MAX_SIGN_IN_BYTES) relay?.destroy(responseTooLarge())
  }
  relay?.on('data', count)
  try {
    const connection = await createConnection(options)
    relay?.off('data', count)
    // Without a listener, a connection that closes between two queries would crash the process. The next query
    // reports the error.
    connection.on('error', () => {})
    return connection
  } catch (error) {
    throw toConnectError(error)
  }
}

/**
 * For Berth's own queries. Always closes the connection. Converts MySQL errors to AppErrors with the server's message.
 * Ends the connection if one response is larger than 4 MB or takes too long.
 */
export async function withConnection<T>(
  server: Server,
  options: ConnectOptions,
  work: (connection: Connection) => Promise<T>
): Promise<T> {
  const connection = await connectToMysql(server, options)
  const limits = limitResponses(connection, options.queryTimeoutMs ?? QUERY_TIMEOUT_MS)
  try {
    if (!options.account) await connection.query(`SET SESSION sql_mode = 'STRICT_ALL_TABLES'`)
    return await work(connection)
  } catch (error) {
    // mysql2 rejects with a copy of the error that is not an AppError, so the original is thrown.
    throw limits.exceeded ?? convertMysqlError(error)
  } finally {
    connection.destroy()
  }
}

/**
 * mysql2 keeps all rows of a query in memory. Root of an instance can replace the server by a program that sends rows
 * without end or never responds.
 */
function limitResponses(connection: Connection, timeoutMs: number): { exceeded?: AppError } {
  const { stream } = unwrapPromiseConnection(connection) as unknown as { stream: Duplex }
  const limits: { exceeded?: AppError } = {}
  const end = (error: AppError) => {
    limits.exceeded = error
    stream.destroy(error)
  }
  let received = 0
  let timer: NodeJS.Timeout | undefined
  const write = stream.write.bind(stream) as (...args: unknown[]) => boolean
  stream.write = ((...args: unknown[]) => {
    received = 0
    clearTimeout(timer)
    timer = setTimeout(() => end(serverTooSlow()), timeoutMs)
    return write(...args)
  }) as typeof stream.write
  stream.on('data', (chunk: Buffer) => {
    received += chunk.length
    if (received > MAX_RESPONSE_BYTES) end(responseTooLarge())
  })
  stream.once('close', () => clearTimeout(timer))
  return limits
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
 * Converts a MySQL error to an AppError. Keeps the server's message, but not the statement, which may contain a
 * password.
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

export type TemporaryUserRights = 'read' | 'write' | 'dump' | 'all'

const GRANTS_BY_ROLE: Record<TemporaryUserRights, string> = {
  // `SHOW TRIGGERS` shows triggers only to users with the right TRIGGER. In the read-only transaction, this right
  // cannot change anything.
  read: 'SELECT, SHOW VIEW, TRIGGER',
  write:
    'SELECT, SHOW VIEW, INSERT, UPDATE, DELETE, EXECUTE, CREATE, ALTER, DROP, INDEX, REFERENCES, CREATE VIEW, CREATE TEMPORARY TABLES, LOCK TABLES, TRIGGER',
  dump: 'SELECT, SHOW VIEW, TRIGGER, EVENT, LOCK TABLES',
  all: 'ALL PRIVILEGES',
}

/** Pages do not list these users. */
export const TEMPORARY_USER_PREFIX = 'berth_work_'
/** Temporary users older than this are deleted. No task takes that long. */
const ABANDONED_AFTER_MS = 24 * 3_600_000

/**
 * Creates a user with rights on one database only, so that a customer's dump or query cannot affect others. The
 * caller must drop the user. If the process dies before, the first call after 24 hours drops it.
 * @param database name on the server; it need not exist yet
 */
export function createTemporaryUser(
  server: Server,
  database: string,
  rights: TemporaryUserRights
): Promise<TemporaryUser> {
  return withConnection(server, {}, async (connection) => {
    await dropAbandonedUsers(connection)
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

/**
 * Grants access to routines that other users created. Otherwise a dump would omit them without an error. Before
 * MariaDB 11.3, the narrowest right for this is SELECT on mysql.proc.
 */
async function grantRoutines(connection: Connection, database: string, who: string): Promise<void> {
  try {
    await connection.query(`GRANT SHOW CREATE ROUTINE ON ${grantPattern(database)}.* TO ${who}`)
  } catch {
    await connection.query(`GRANT SELECT ON mysql.proc TO ${who}`)
  }
}

async function dropAbandonedUsers(connection: Connection): Promise<void> {
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
