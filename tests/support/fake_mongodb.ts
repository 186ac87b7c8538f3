import { BSON } from 'mongodb'
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { createServer, type AddressInfo, type Socket } from 'node:net'

/**
 * A small in-memory server of MongoDB's wire protocol (OP_MSG), for features that FerretDB lacks: enforced roles,
 * errors, replica sets, views and TTL indexes. It stores views and TTL indexes without applying them. It follows
 * MongoDB's documentation, not a particular version. It also runs as a program: `node fake_mongodb.ts serve PORT`.
 */

type Doc = Record<string, unknown>
interface Role {
  role: string
  db: string
}
interface User {
  user: string
  db: string
  roles: Role[]
  authenticationRestrictions?: unknown
  salt: Buffer
  stored: Buffer
  serverKey: Buffer
}
interface Collection {
  type: 'collection' | 'view'
  options: Doc
  documents: Uint8Array[]
  indexes: Doc[]
}
interface Caller {
  user: User | null
  challenge: { first: string; nonce: string; user: User } | null
}

export interface FakeMongodb {
  port: number
  users: Map<string, User>
  collections: Map<string, Collection>
  /**
   * Received commands as `[database, command name, command]`, oldest first. Omits `hello`, `ping`, `buildInfo` and the
   * commands that begin or end a session.
   */
  commands: [string, string, Doc][]
  /** Makes the next command with this name fail with a server error. With `'end'`, closes the connection instead. */
  fail(command: string, how: { code: number; errmsg: string } | 'end'): void
  addUser(user: string, db: string, password: string, roles: Role[]): void
  stop(): Promise<void>
}

interface Options {
  port?: number
  /** Name of the replica set. Default: a standalone server. */
  setName?: string
  /** Whether clients must sign in. Before the first user exists, `createUser` needs no sign-in. */
  authorization?: boolean
}

const SCRAM_ITERATIONS = 4096
const UNLOGGED_COMMANDS = new Set(
  'hello ismaster isMaster ping endSessions saslStart saslContinue buildInfo'.split(' ')
)
const READ_COMMANDS = new Set(
  'find getMore aggregate count distinct listCollections listIndexes collStats dbStats killCursors'.split(
    ' '
  )
)
const WRITE_COMMANDS = new Set(
  'insert update delete create createIndexes drop dropIndexes'.split(' ')
)

class CommandError extends Error {
  readonly code: number
  constructor(code: number, words: string) {
    super(words)
    this.code = code
  }
}

/** Starts the server on 127.0.0.1. Default port: a free one. */
export async function startFakeMongodb(options: Options = {}): Promise<FakeMongodb> {
  const users = new Map<string, User>()
  const collections = new Map<string, Collection>()
  const commands: [string, string, Doc][] = []
  const faults = new Map<string, { code: number; errmsg: string } | 'end'>()
  const sockets = new Set<Socket>()

  const makeUser = (user: string, db: string, password: string, roles: Role[]) => {
    const salt = randomBytes(28)
    const salted = pbkdf2Sync(password, salt, SCRAM_ITERATIONS, 32, 'sha256')
    const clientKey = hmac(salted, 'Client Key')
    const stored = createHash('sha256').update(clientKey).digest()
    const serverKey = hmac(salted, 'Server Key')
    users.set(`${db}.${user}`, { user, db, roles, salt, stored, serverKey })
  }

  const find = (name: string) => {
    const found = collections.get(name)
    if (!found) throw new CommandError(26, `ns does not exist: ${name}`)
    return found
  }
  const make = (name: string, more: Partial<Collection> = {}) => {
    if (collections.has(name)) throw new CommandError(48, `Collection ${name} already exists.`)
    const made: Collection = {
      type: 'collection',
      options: {},
      documents: [],
      indexes: [{ v: new BSON.Int32(2), key: { _id: new BSON.Int32(1) }, name: '_id_' }],
      ...more,
    }
    collections.set(name, made)
    return made
  }
  const cursor = (ns: string, firstBatch: unknown[]) => ({
    cursor: { id: BSON.Long.ZERO, ns, firstBatch },
  })
  const rolesOf = (given: unknown): Role[] => {
    if (!Array.isArray(given) || given.length === 0) return []
    return given.map((each: Role) => ({ role: each.role, db: each.db }))
  }

  const handle: Record<string, (db: string, command: Doc, caller: Caller) => Doc> = {
    hello: (_db, { saslSupportedMechs }) => ({
      helloOk: true,
      isWritablePrimary: true,
      ismaster: true,
      minWireVersion: 0,
      maxWireVersion: 25,
      maxBsonObjectSize: 16777216,
      maxMessageSizeBytes: 48000000,
      maxWriteBatchSize: 100000,
      logicalSessionTimeoutMinutes: 30,
      localTime: new Date(),
      ...(options.setName && { setName: options.setName, hosts: ['scripted:1'], me: 'scripted:1' }),
      ...(saslSupportedMechs !== undefined && { saslSupportedMechs: ['SCRAM-SHA-256'] }),
    }),
    ping: () => ({}),
    endSessions: () => ({}),
    killCursors: () => ({}),
    buildInfo: () => ({ version: '8.0.0', versionArray: [8, 0, 0, 0] }),
    connectionStatus: () => ({ authInfo: {} }),
    saslStart(db, { payload }, caller) {
      const bare = bytesOf(payload).toString().slice(3)
      const fields = fieldsOf(bare)
      const name = fields.n.replaceAll('=2C', ',').replaceAll('=3D', '=')
      const user = users.get(`${db}.${name}`)
      if (!user) throw new CommandError(18, 'Authentication failed.')
      const nonce = fields.r + randomBytes(18).toString('base64')
      const first = `r=${nonce},s=${user.salt.toString('base64')},i=${SCRAM_ITERATIONS}`
      caller.challenge = { first: `${bare},${first}`, nonce, user }
      return { conversationId: 1, done: false, payload: new BSON.Binary(Buffer.from(first)) }
    },
    saslContinue(_db, { payload }, caller) {
      if (!caller.challenge) {
        return { conversationId: 1, done: true, payload: new BSON.Binary(Buffer.alloc(0)) }
      }
      const { first, nonce, user } = caller.challenge
      const said = bytesOf(payload).toString()
      const { p, r } = fieldsOf(said)
      const message = `${first},${said.slice(0, said.lastIndexOf(',p='))}`
      const signature = hmac(user.stored, message)
      const key = Buffer.from(p, 'base64').map((byte, at) => byte ^ signature[at])
      const isRight = createHash('sha256').update(key).digest().equals(user.stored)
      if (r !== nonce || !isRight) throw new CommandError(18, 'Authentication failed.')
      caller.user = user
      caller.challenge = null
      const proof = `v=${hmac(user.serverKey, message).toString('base64')}`
      return { conversationId: 1, done: true, payload: new BSON.Binary(Buffer.from(proof)) }
    },
    createUser(db, { createUser: name, pwd, roles }) {
      if (users.has(`${db}.${String(name)}`)) {
        throw new CommandError(51003, `User "${String(name)}@${db}" already exists`)
      }
      makeUser(String(name), db, String(pwd), rolesOf(roles))
      return {}
    },
    updateUser(db, { updateUser: name, pwd, roles, authenticationRestrictions }) {
      const user = users.get(`${db}.${String(name)}`)
      if (!user) throw new CommandError(11, `User "${String(name)}@${db}" not found`)
      if (pwd !== undefined) makeUser(user.user, db, String(pwd), user.roles)
      const now = users.get(`${db}.${String(name)}`)!
      if (roles !== undefined) now.roles = rolesOf(roles)
      if (authenticationRestrictions) now.authenticationRestrictions = authenticationRestrictions
      return {}
    },
    dropUser(db, { dropUser: name }) {
      if (!users.delete(`${db}.${String(name)}`)) throw new CommandError(11, 'User not found')
      return {}
    },
    dropAllUsersFromDatabase(db) {
      const mine = [...users.keys()].filter((key) => key.startsWith(`${db}.`))
      for (const key of mine) users.delete(key)
      return { n: mine.length }
    },
    revokeRolesFromUser(db, { revokeRolesFromUser: name, roles }) {
      const user = users.get(`${db}.${String(name)}`)!
      const gone = rolesOf(roles).map((role) => `${role.db}.${role.role}`)
      user.roles = user.roles.filter((role) => !gone.includes(`${role.db}.${role.role}`))
      return {}
    },
    usersInfo(db, { usersInfo: asked }) {
      const isWanted = (user: User) => {
        if (asked === 1) return user.db === db
        const { forAllDBs, user: name, db: home } = asked as Doc
        return forAllDBs === true || (user.user === name && user.db === home)
      }
      const found = [...users.values()].filter(isWanted)
      return {
        users: found.map(({ user, db: home, roles }) => ({
          _id: `${home}.${user}`,
          user,
          db: home,
          roles,
        })),
      }
    },
    listDatabases() {
      const names = new Set([...collections.keys()].map((each) => each.split('.')[0]))
      const databases = ['admin', ...names].map((name) => ({ name, sizeOnDisk: 8192 }))
      return { databases, totalSize: 8192 * databases.length }
    },
    dropDatabase(db) {
      for (const name of collections.keys()) {
        if (name.startsWith(`${db}.`)) collections.delete(name)
      }
      return { dropped: db }
    },
    listCollections(db, { filter }) {
      const wanted = (filter as Doc | undefined)?.name
      const found = [...collections]
        .filter(([name]) => name.startsWith(`${db}.`))
        .map(([name, each]) => ({ name: name.slice(db.length + 1), ...each }))
        .filter(({ name }) => wanted === undefined || wanted === name)
      return cursor(
        `${db}.$cmd.listCollections`,
        found.map(({ name, type, options: kept }) => ({ name, type, options: kept, info: {} }))
      )
    },
    create(db, { create: name, ...rest }) {
      const kept = Object.fromEntries(
        Object.entries(rest).filter(([key]) => !DRIVER_FIELDS.has(key))
      )
      const type = kept.viewOn ? 'view' : 'collection'
      make(`${db}.${String(name)}`, { type, options: kept })
      return {}
    },
    drop(db, { drop: name }) {
      find(`${db}.${String(name)}`)
      collections.delete(`${db}.${String(name)}`)
      return {}
    },
    renameCollection(_db, { renameCollection: from, to, dropTarget }) {
      const found = find(String(from))
      if (collections.has(String(to)) && dropTarget !== true) {
        throw new CommandError(48, 'target namespace exists')
      }
      collections.delete(String(from))
      collections.set(String(to), found)
      return {}
    },
    createIndexes(db, { createIndexes: name, indexes }) {
      const kept = collections.get(`${db}.${String(name)}`) ?? make(`${db}.${String(name)}`)
      kept.indexes.push(...(indexes as Doc[]).map((index) => ({ v: new BSON.Int32(2), ...index })))
      return {}
    },
    listIndexes: (db, { listIndexes: name }) =>
      cursor(`${db}.${String(name)}`, find(`${db}.${String(name)}`).indexes),
    insert(db, { insert: name, documents }) {
      const key = `${db}.${String(name)}`
      const kept = collections.get(key) ?? make(key)
      kept.documents.push(...(documents as Uint8Array[]))
      return { n: (documents as unknown[]).length }
    },
    find(db, { find: name }) {
      const found = collections.get(`${db}.${String(name)}`)
      return cursor(`${db}.${String(name)}`, (found?.documents ?? []).map(asDocument))
    },
    aggregate(db, { aggregate: name, pipeline }) {
      const stages = (pipeline as Doc[]).flatMap((stage) => Object.keys(stage))
      if (stages.includes('$currentOp')) {
        const running = commands
          .filter(([, , each]) => each.comment !== undefined && each.comment !== '')
          .map(([home, , each]) => ({ opid: 7, command: { ...each, $db: home } as Doc }))
        const wanted = (pipeline as Doc[])[1].$match as Doc
        const mine = running.filter((each) => each.command.comment === wanted['command.comment'])
        return cursor('admin.$cmd.aggregate', mine.slice(0, 1))
      }
      const documents = collections.get(`${db}.${String(name)}`)?.documents ?? []
      if (stages.includes('$group')) {
        return cursor(`${db}.${String(name)}`, documents.length ? [{ n: documents.length }] : [])
      }
      return cursor(`${db}.${String(name)}`, documents.map(asDocument))
    },
    killOp: () => ({}),
    collStats: (db, { collStats: name }) => ({
      count: find(`${db}.${String(name)}`).documents.length,
      storageSize: 4096,
    }),
  }
  handle.ismaster = handle.isMaster = handle.hello

  const assertAllowed = (db: string, name: string, { user }: Caller) => {
    if (!options.authorization || UNLOGGED_COMMANDS.has(name) || name === 'connectionStatus') return
    if (!user) {
      // Localhost exception of MongoDB: while no user exists, the first one can be created without a sign-in.
      if (users.size === 0 && name === 'createUser') return
      throw new CommandError(13, `Command ${name} requires authentication`)
    }
    const has = (...roles: string[]) =>
      user.roles.some(
        (each) => each.role === 'root' || (each.db === db && roles.includes(each.role))
      )
    const isAllowed =
      (READ_COMMANDS.has(name) && has('read', 'readWrite', 'dbOwner')) ||
      (WRITE_COMMANDS.has(name) && has('readWrite', 'dbOwner')) ||
      (name === 'renameCollection' && user.roles.some(({ role }) => role === 'dbOwner')) ||
      has('dbOwner')
    if (!isAllowed) throw new CommandError(13, `not authorized on ${db} to execute command ${name}`)
  }

  const answer = (message: Buffer, caller: Caller): Doc | null => {
    const command = readMessage(message)
    const db = String(command.$db)
    const [name] = Object.keys(command)
    if (!UNLOGGED_COMMANDS.has(name)) commands.push([db, name, command])
    const fault = faults.get(name)
    faults.delete(name)
    if (fault === 'end') return null
    try {
      if (fault) throw new CommandError(fault.code, fault.errmsg)
      if (!handle[name]) throw new CommandError(59, `no such command: '${name}'`)
      assertAllowed(db, name, caller)
      return { ...handle[name](db, command, caller), ok: 1 }
    } catch (error) {
      const { code = 8, message: errmsg } = error as CommandError
      return { ok: 0, errmsg, code, codeName: 'Scripted' }
    }
  }

  const server = createServer((socket) => {
    const caller: Caller = { user: null, challenge: null }
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => sockets.delete(socket))
    let kept = Buffer.alloc(0)
    socket.on('data', (chunk) => {
      kept = Buffer.concat([kept, chunk])
      while (kept.length >= 4 && kept.length >= kept.readInt32LE(0)) {
        const length = kept.readInt32LE(0)
        const message = kept.subarray(0, length)
        kept = Buffer.from(kept.subarray(length))
        const said = answer(message, caller)
        if (said) socket.write(writeMessage(message, said))
        else socket.destroy()
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    users,
    collections,
    commands,
    fail: (command, how) => void faults.set(command, how),
    addUser: makeUser,
    stop: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}

const DRIVER_FIELDS = new Set(['$db', 'lsid', 'writeConcern', '$clusterTime', '$readPreference'])
const OP_MSG = 2013
const OP_QUERY = 2004
const OP_REPLY = 1

const hmac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest()
const bytesOf = (value: unknown) => Buffer.from((value as { buffer: Uint8Array }).buffer)
const asDocument = (bytes: Uint8Array) => BSON.deserialize(bytes, { promoteValues: false })
const fieldsOf = (text: string): Record<string, string> =>
  Object.fromEntries(text.split(',').map((part) => [part[0], part.slice(2)]))

/** Parses a message. Documents in document sequences stay raw BSON. */
function readMessage(message: Buffer): Doc {
  if (message.readInt32LE(12) === OP_QUERY) {
    const at = message.indexOf(0, 20) + 1 + 8
    return { ...BSON.deserialize(message.subarray(at)), $db: 'admin' }
  }
  const sequences: Doc = {}
  let command: Doc = {}
  for (let at = 20; at < message.length;) {
    const kind = message[at]
    const length = message.readInt32LE(at + 1)
    const part = message.subarray(at + 1, at + 1 + length)
    at += 1 + length
    if (kind === 0) {
      command = BSON.deserialize(part)
      // Keeps the BSON number types of indexes, because `listIndexes` must return them as the client sent them.
      if (command.createIndexes) command.indexes = asDocument(part).indexes
      continue
    }
    const end = part.indexOf(0, 4)
    const documents: Uint8Array[] = []
    for (let from = end + 1; from < part.length; from += part.readInt32LE(from)) {
      documents.push(part.subarray(from, from + part.readInt32LE(from)))
    }
    sequences[part.toString('utf8', 4, end)] = documents
  }
  const listed = command.documents
  if (Array.isArray(listed)) command.documents = listed.map((each: Doc) => BSON.serialize(each))
  return { ...command, ...sequences }
}

function writeMessage(asked: Buffer, said: Doc): Buffer {
  const body = BSON.serialize(said)
  if (asked.readInt32LE(12) === OP_QUERY) {
    const head = Buffer.alloc(36)
    head.writeInt32LE(36 + body.length, 0)
    head.writeInt32LE(asked.readInt32LE(4), 8)
    head.writeInt32LE(OP_REPLY, 12)
    head.writeInt32LE(1, 32)
    return Buffer.concat([head, body])
  }
  const head = Buffer.alloc(21)
  head.writeInt32LE(21 + body.length, 0)
  head.writeInt32LE(asked.readInt32LE(4), 8)
  head.writeInt32LE(OP_MSG, 12)
  return Buffer.concat([head, body])
}

if (process.argv[2] === 'serve') {
  await startFakeMongodb({ port: Number(process.argv[3]), authorization: true })
}
