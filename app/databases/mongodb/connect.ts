import { databaseOperationFailed, responseTooLarge, serverNotRunning } from '#databases/errors'
import DatabaseServer from '#databases/models/database_server'
import { managedServerUrl } from '#databases/servers/resolve_database_server'
import { connectViaRelay } from '#databases/servers/relay'
import type { Server } from '#databases/servers/server'
import { convertMongodbError } from '#databases/mongodb/mongodb_errors'
import { AppError } from '#core/app_error'
import { BSON, type Db, MongoClient, type MongoClientOptions } from 'mongodb'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** User that Berth creates on instances: in the database `admin`, with the role `root`. */
export const ADMIN_USER = 'berth_admin'
const CONNECT_TIMEOUT_MS = 15_000
/** Long, because the server sends nothing while it builds an index. */
const REPLY_TIMEOUT_MS = 4 * 3_600_000
/** A document has at most 16 MB, a reply 16 KB more. The driver would accept any size that the server announces. */
const MAX_REPLY_BYTES = 17 * 1024 ** 2
const MAX_LISTED_DOCUMENTS = 100_000
const MAX_LISTED_BYTES = 32 * 1024 ** 2

export interface MongodbCredentials {
  user: string
  password: string
  database: string
}

/** Connects without a sign-in. MongoDB allows that only to create the first user. */
export const WITHOUT_CREDENTIALS = Symbol('nobody')

export interface MongodbConnection {
  client: MongoClient
  close(): Promise<void>
}

/**
 * Connects as the server's administrator, or as `account`. On an instance, a relay on the instance connects to the
 * server, so that no port is open to the network.
 * @throws AppError 503 if the server does not respond, 403 if the user name or password of `account` is wrong
 */
export async function connectToMongodb(
  server: Server,
  account?: MongodbCredentials | typeof WITHOUT_CREDENTIALS,
  replyTimeoutMs = REPLY_TIMEOUT_MS
): Promise<MongodbConnection> {
  const way = server.instance ? await openRelay(server) : { url: managed(), close: async () => {} }
  const options: MongoClientOptions = {
    ...(await authFor(server, account)),
    appName: 'berth',
    connectTimeoutMS: CONNECT_TIMEOUT_MS,
    socketTimeoutMS: replyTimeoutMs,
    serverSelectionTimeoutMS: CONNECT_TIMEOUT_MS,
    // Few connections, because each needs a relay process on the instance.
    ...(server.instance && { directConnection: true, maxPoolSize: 3 }),
    serverMonitoringMode: 'poll',
    heartbeatFrequencyMS: 60_000,
    retryReads: false,
    retryWrites: false,
  }
  const client = new MongoClient(account ? withoutAccount(way.url) : way.url, options)
  // Without a listener, a lost connection would crash the process.
  client.on('error', () => {})
  const close = async () => {
    await client.close().catch(() => {})
    await way.close()
  }
  try {
    await client.connect()
    return { client, close }
  } catch (error) {
    await close()
    throw toConnectError(error, account)
  }
}

/** Always closes the connection. Converts MongoDB errors to AppErrors. */
export async function withConnection<T>(
  server: Server,
  work: (client: MongoClient) => Promise<T>,
  account?: MongodbCredentials | typeof WITHOUT_CREDENTIALS,
  replyTimeoutMs = REPLY_TIMEOUT_MS
): Promise<T> {
  const { client, close } = await connectToMongodb(server, account, replyTimeoutMs)
  try {
    return await work(client)
  } catch (error) {
    throw convertMongodbError(error)
  } finally {
    await close()
  }
}

export function withDatabase<T>(
  server: Server,
  database: string,
  work: (db: Db, client: MongoClient) => Promise<T>,
  account?: MongodbCredentials | typeof WITHOUT_CREDENTIALS
): Promise<T> {
  return withConnection(server, (client) => work(client.db(database), client), account)
}

async function authFor(server: Server, account?: MongodbCredentials | typeof WITHOUT_CREDENTIALS) {
  if (account === WITHOUT_CREDENTIALS) return {}
  if (account) return authOf(account)
  return server.instance ? authOf(await administrator(server)) : {}
}

function authOf({ user, password, database }: MongodbCredentials): MongoClientOptions {
  return { auth: { username: user, password }, authSource: database }
}

async function administrator({ instance }: Server): Promise<MongodbCredentials> {
  const record = await DatabaseServer.query()
    .where({ serverInstanceId: instance!.id, engine: 'mongodb' })
    .first()
  if (!record?.secret) {
    throw databaseOperationFailed(
      'The console did not install MongoDB on this server instance, so it cannot sign in to it.'
    )
  }
  return { user: ADMIN_USER, password: record.secret, database: 'admin' }
}

function managed(): string {
  return managedServerUrl('mongodb')!.href
}

function withoutAccount(url: string): string {
  const { protocol, host, pathname, searchParams } = new URL(url)
  searchParams.delete('authSource')
  const queryString = searchParams.size > 0 ? `?${searchParams}` : ''
  return `${protocol}//${host}${pathname || '/'}${queryString}`
}

/** Opens a local Unix socket that forwards connections to the server through a process on the server's machine. */
async function openRelay({
  machine,
  clientArgs,
}: Server): Promise<{ url: string; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-mongodb-'))
  // The driver recognizes the path of a Unix socket by `.sock`.
  const path = join(folder, 'mongodb.sock')
  const [host, port] = clientArgs.map((arg) => arg.slice(arg.indexOf('=') + 1))
  const open = new Set<Socket>()
  const listener = createServer((socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    socket.on('error', () => {})
    connectViaRelay(machine, [host, port])
      .then((far) => {
        const { requests, replies } = limitReplies()
        return pipeline(socket, requests, far, replies, socket)
      })
      .catch(() => {})
      .finally(() => socket.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject)
    listener.listen(path, resolve)
  })
  const close = async () => {
    for (const socket of open) socket.destroy()
    await new Promise<void>((resolve) => listener.close(() => resolve()))
    await rm(folder, { recursive: true, force: true })
  }
  return { url: `mongodb://${encodeURIComponent(path)}/`, close }
}

/**
 * Ends the connection if a reply is too large. Root of an instance can replace the server by a program that sends a
 * reply without end.
 */
function limitReplies(): { requests: Transform; replies: Transform } {
  let received = 0
  const requests = new Transform({
    transform(chunk: Buffer, _encoding, callback) {
      received = 0
      callback(null, chunk)
    },
  })
  const replies = new Transform({
    transform(chunk: Buffer, _encoding, callback) {
      received += chunk.length
      callback(received > MAX_REPLY_BYTES ? responseTooLarge() : null, chunk)
    },
  })
  return { requests, replies }
}

/**
 * @throws AppError if there are more than 100,000 documents or 32 MB: root of an instance can replace the server by
 * a hostile program
 */
export async function readAllDocuments<T extends object>(cursor: AsyncIterable<T>): Promise<T[]> {
  const documents: T[] = []
  let bytes = 0
  for await (const document of cursor) {
    bytes += BSON.calculateObjectSize(document)
    if (documents.length === MAX_LISTED_DOCUMENTS || bytes > MAX_LISTED_BYTES)
      throw responseTooLarge()
    documents.push(document)
  }
  return documents
}

function toConnectError(
  error: unknown,
  account?: MongodbCredentials | typeof WITHOUT_CREDENTIALS
): unknown {
  if (error instanceof AppError) return error
  const { code } = error as { code?: number }
  if (code === 18 && account) {
    return new AppError(
      'wrong_account',
      403,
      'The user name or password is wrong for this database.'
    )
  }
  if (code === 18 || code === 13) {
    return databaseOperationFailed(
      'The database server rejected the sign-in of the console. Ask support.',
      error
    )
  }
  return serverNotRunning(error)
}
