import { databaseTaken, notSupported, userTaken } from '#databases/errors'
import {
  connectToMongodb,
  readAllDocuments,
  withConnection,
  withDatabase,
} from '#databases/mongodb/connect'
import {
  mongodbConnectionSnippets,
  mongodbEnvironment,
} from '#databases/mongodb/connection_snippets'
import { MONGODB_ERROR_CODES, mongodbErrorCode } from '#databases/mongodb/mongodb_errors'
import {
  isUserCollection,
  isAccountDatabase,
  TEMPORARY_USER_PREFIX,
} from '#databases/mongodb/names'
import type {
  DatabaseAdminApi,
  ServerDatabase,
  DatabaseUserKey,
} from '#databases/servers/engine_driver'
import type { Server } from '#databases/servers/server'
import type { AccessLevel, MongodbUserRow } from '#databases/transformers/page_props'
import { notFound, AppError } from '#core/app_error'
import type { Db, Document, MongoClient } from 'mongodb'
import { randomBytes } from 'node:crypto'

const roleOf = { read: 'read', write: 'readWrite', all: 'dbOwner' } as const
const accessOf: Record<string, AccessLevel> = { read: 'read', readWrite: 'write', dbOwner: 'all' }

const LIST_TIMEOUT_MS = 60_000

interface MongodbUser {
  _id: string
  user: string
  db: string
  roles: { role: string; db: string }[]
}

/**
 * Creates each user in its database, so `drop` can drop a database together with its users. MongoDB allows the same
 * user name in several databases, but `assertFree` rejects it.
 */
export const mongodbAdmin: DatabaseAdminApi = {
  databases: (server) =>
    withConnection(
      server,
      async (client) => {
        const listed = await listDatabases(client)
        const sizes = new Map(listed.map(({ name, sizeOnDisk }) => [name, sizeOnDisk ?? null]))
        // MongoDB does not list a database without collections, but it still has its users.
        for (const { db } of await listUsers(client)) if (!sizes.has(db)) sizes.set(db, 0)
        const databases: ServerDatabase[] = []
        for (const [name, sizeBytes] of sizes) {
          if (!isAccountDatabase(server, name)) continue
          databases.push({ name, sizeBytes, tables: await countCollections(client.db(name)) })
        }
        return databases.sort((one, other) => (one.name < other.name ? -1 : 1))
      },
      undefined,
      LIST_TIMEOUT_MS
    ),

  users: (server) =>
    withConnection(server, async (client) => {
      const users = (await listUsers(client)).filter(({ db }) => isAccountDatabase(server, db))
      return users.map((user): MongodbUserRow => ({ ...user, access: accessIn(user) }))
    }),

  assertFree: (server, { database, username }) =>
    withConnection(server, async (client) => {
      const users = (await listUsers(client)).filter(({ db }) => isAccountDatabase(server, db))
      if (database) {
        const listed = await listDatabases(client)
        // MongoDB rejects database names that differ only in case.
        const taken = [...listed.map(({ name }) => name), ...users.map(({ db }) => db)]
        if (taken.some((name) => name.toLowerCase() === database.toLowerCase())) {
          throw databaseTaken()
        }
      }
      if (username && users.some(({ user }) => user === username)) throw userTaken()
    }),

  create: (server, { database, username, password }) =>
    withDatabase(server, database, (db) => putUser(db, username, password, 'all')),

  drop: (server, database) =>
    withDatabase(server, database, async (db, client) => {
      await db.dropDatabase()
      await db.command({ dropAllUsersFromDatabase: 1 })
      for (const { user, db: home, roles } of await listUsers(client)) {
        const lost = roles.filter((role) => role.db === database)
        if (lost.length === 0) continue
        await client.db(home).command({ revokeRolesFromUser: user, roles: lost })
      }
    }),

  addUser: (server, { database, username, password, access }) =>
    withDatabase(server, database, async (db) => {
      await db.command({ createUser: username, pwd: password, roles: rolesFor(database, access) })
    }),

  setPassword: (server, user, password) => change(server, user, () => ({ pwd: password })),

  setAccess: (server, user, { database, access }) =>
    change(server, user, ({ roles }) => ({
      // The user's roles in other databases stay. Somebody granted them outside Berth.
      roles: [...roles.filter(({ db }) => db !== database), ...rolesFor(database, access)],
    })),

  async setRemoteAddress(server, user, address) {
    if (server.instance) {
      throw notSupported(
        'MongoDB accepts only connections from the server instance itself. Open an SSH tunnel (ssh -L 27017:127.0.0.1:27017 and the address of the server instance), then connect to 127.0.0.1.'
      )
    }
    const from = ['127.0.0.1', '::1', ...(address ? [address] : [])]
    await change(server, user, () => ({ authenticationRestrictions: [{ clientSource: from }] }))
  },

  async removeUser(server, { username, host }) {
    assertOwn(server, host)
    await withDatabase(server, host, async (db) => {
      try {
        await db.removeUser(username)
      } catch (error) {
        if (mongodbErrorCode(error) !== MONGODB_ERROR_CODES.userNotFound) throw error
      }
    })
  },

  async canConnect(server, { database, username, password }) {
    const account = { user: username, password, database }
    try {
      await withDatabase(server, database, (db) => db.command({ ping: 1 }), account)
      return true
    } catch (error) {
      if (error instanceof AppError && error.status === 403) return false
      throw error
    }
  },

  connectionSnippets: mongodbConnectionSnippets,
  environmentVariables: mongodbEnvironment,
}

async function putUser(db: Db, user: string, pwd: string, access: keyof typeof roleOf) {
  const roles = rolesFor(db.databaseName, access)
  try {
    await db.command({ createUser: user, pwd, roles })
  } catch (error) {
    if (mongodbErrorCode(error) !== MONGODB_ERROR_CODES.userExists) throw error
    await db.command({ updateUser: user, pwd, roles })
  }
}

async function change(
  server: Server,
  { username, host }: DatabaseUserKey,
  to: (user: MongodbUser) => Document
): Promise<void> {
  assertOwn(server, host)
  await withDatabase(server, host, async (db) => {
    const { users } = await db.command({ usersInfo: { user: username, db: host } })
    const user = (users as Document[]).map(toUser)[0]
    if (!user || user.user.startsWith(TEMPORARY_USER_PREFIX)) throw notFound('user')
    await db.command({ updateUser: username, ...to(user) })
  })
}

/** Throws 404 if the database belongs to another account. */
function assertOwn(server: Server, database: string): void {
  if (!isAccountDatabase(server, database)) throw notFound('user')
}

function rolesFor(db: string, access: keyof typeof roleOf) {
  return [{ role: roleOf[access], db }]
}

function accessIn({ db, roles }: MongodbUser): AccessLevel {
  const rolesInDatabase = roles.filter((role) => role.db === db)
  return rolesInDatabase.length === 1 ? (accessOf[rolesInDatabase[0].role] ?? 'other') : 'other'
}

async function listDatabases(client: MongoClient) {
  const { databases } = await client.db('admin').command({ listDatabases: 1 })
  return databases as { name: string; sizeOnDisk?: number }[]
}

async function listUsers(client: MongoClient): Promise<MongodbUser[]> {
  const { users } = await client.db('admin').command({ usersInfo: { forAllDBs: true } })
  const databaseUsers = (users as Document[]).map(toUser)
  return databaseUsers.filter(({ user }) => !user.startsWith(TEMPORARY_USER_PREFIX))
}

function toUser({ _id, user, db, roles }: Document): MongodbUser {
  return {
    _id: String(_id),
    user: String(user),
    db: String(db),
    roles: (roles as Document[]).map((each) => ({ role: String(each.role), db: String(each.db) })),
  }
}

async function countCollections(db: Db): Promise<number> {
  const all = await readAllDocuments(db.listCollections({}, { nameOnly: true }))
  return all.filter(({ name }) => isUserCollection(name)).length
}

/**
 * Runs `work` on a database. On a managed server, which many accounts share, signs in as a temporary user without
 * access to other databases, whatever a dump or query contains. On an instance, signs in as the administrator.
 */
export async function withTemporaryUserIfManaged<T>(
  server: Server,
  database: string,
  access: keyof typeof roleOf,
  work: (db: Db, client: MongoClient) => Promise<T>
): Promise<T> {
  if (server.instance) return withDatabase(server, database, work)
  const { account, drop } = await workAccount(server, database, access)
  try {
    return await withDatabase(server, database, work, account)
  } finally {
    await drop()
  }
}

/**
 * Connects like `withTemporaryUserIfManaged`, but for connections that the caller closes. `close` also deletes the
 * temporary user.
 */
export async function connectAsTemporaryUserIfManaged(
  server: Server,
  database: string,
  access: keyof typeof roleOf
) {
  if (server.instance) return connectToMongodb(server)
  const { account, drop } = await workAccount(server, database, access)
  try {
    const { client, close } = await connectToMongodb(server, account)
    return { client, close: () => close().finally(drop) }
  } catch (error) {
    await drop()
    throw error
  }
}

async function workAccount(server: Server, database: string, access: keyof typeof roleOf) {
  const user = `${TEMPORARY_USER_PREFIX}${Date.now().toString(36)}_${randomBytes(4).toString('hex')}`
  const password = randomBytes(24).toString('base64url')
  await withDatabase(server, database, async (db) => {
    await deleteOldWorkAccounts(db)
    await db.command({ createUser: user, pwd: password, roles: rolesFor(database, access) })
  })
  const drop = async () => {
    await withDatabase(server, database, (db) => db.removeUser(user)).catch(() => {})
  }
  return { account: { user, password, database }, drop }
}

/** Temporary users older than this are deleted: the process that created them was interrupted. */
const ABANDONED_AFTER_MS = 24 * 3_600_000

async function deleteOldWorkAccounts(db: Db): Promise<void> {
  const { users } = await db.command({ usersInfo: 1 })
  for (const { user } of users as { user: string }[]) {
    if (!user.startsWith(TEMPORARY_USER_PREFIX)) continue
    const createdAt = parseInt(user.slice(TEMPORARY_USER_PREFIX.length).split('_')[0], 36)
    if (Date.now() - createdAt > ABANDONED_AFTER_MS) await db.removeUser(user)
  }
}
