import { mongodbDriver } from '#databases/mongodb/driver'
import { managedServer } from '#databases/servers/resolve_database_server'
import type { Server } from '#databases/servers/server'
import { readZip, createZip } from '#tests/support/zips'
import { overrideSettings } from '#tests/support/override_settings'
import { type FakeMongodb, startFakeMongodb } from '#tests/support/fake_mongodb'
import { makeCustomer } from '#tests/support/people'
import { test } from '@japa/runner'
import { BSON } from 'mongodb'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'

const { accounts, transfer, browse } = mongodbDriver
const ROOT_ACCOUNT = { user: 'owner', password: 'of-all-1' }
const signal = new AbortController().signal

test.group('MongoDB | a server that accounts share', (group) => {
  let scripted: FakeMongodb
  let one: Server
  let other: Server
  let undo: () => void

  group.each.setup(async () => {
    scripted = await startFakeMongodb({ authorization: true })
    scripted.addUser(ROOT_ACCOUNT.user, 'admin', ROOT_ACCOUNT.password, [
      { role: 'root', db: 'admin' },
    ])
    const url = `mongodb://${ROOT_ACCOUNT.user}:${ROOT_ACCOUNT.password}@127.0.0.1:${scripted.port}/?directConnection=true`
    undo = overrideSettings({ MONGODB_URL: { release: () => url } as never })
    one = managedServer((await makeCustomer()).id, 'mongodb')!
    other = managedServer((await makeCustomer()).id, 'mongodb')!
    return async () => {
      undo()
      await scripted.stop()
    }
  })

  const password = 'pass-word-1'
  const make = (server: Server, name: string) => {
    const asked = { database: `${server.prefix}${name}`, username: `${server.prefix}${name}` }
    return accounts.create(server, { ...asked, password }).then(() => asked)
  }
  const rolesOf = (database: string, user: string) =>
    scripted.users.get(`${database}.${user}`)?.roles

  test('each user has a role in its own database only', async ({ assert }) => {
    const { database, username } = await make(one, 'shop')
    assert.deepEqual(rolesOf(database, username), [{ role: 'dbOwner', db: database }])
    const reader = `${one.prefix}reader`
    await accounts.addUser(one, { database, username: reader, password, access: 'read' })
    assert.deepEqual(rolesOf(database, reader), [{ role: 'read', db: database }])
    const key = { username: reader, host: database }
    await accounts.setAccess(one, key, { database, access: 'write' })
    assert.deepEqual(rolesOf(database, reader), [{ role: 'readWrite', db: database }])
    assert.containSubset(await accounts.users(one), [
      { user: username, db: database, access: 'all', _id: `${database}.${username}` },
      { user: reader, access: 'write', roles: [{ role: 'readWrite', db: database }] },
    ])
    await accounts.setPassword(one, key, 'other-word-2')
    await assert.rejects(
      () => transfer.assertCredentials(one, database, { username: reader, password }),
      'The user name or password is wrong for this database.'
    )
    const right = { username: reader, password: 'other-word-2' }
    await transfer.assertCredentials(one, database, right)
    await accounts.removeUser(one, key)
    await accounts.removeUser(one, key)
    assert.isUndefined(rolesOf(database, reader))
  })

  test('an account can neither list nor change databases and users of another account', async ({
    assert,
  }) => {
    const { database, username } = await make(one, 'shop')
    await make(other, 'shop')
    const names = (await accounts.databases(other)).map(({ name }) => name)
    assert.deepEqual(names, [`${other.prefix}shop`])
    const theirs = { username, host: database }
    for (const act of [
      () => accounts.setPassword(other, theirs, 'other-word-2'),
      () => accounts.setAccess(other, theirs, { database, access: 'read' }),
      () => accounts.removeUser(other, theirs),
      () => accounts.setRemoteAddress(other, theirs, '192.0.2.1'),
      () =>
        accounts.setPassword(other, { username: ROOT_ACCOUNT.user, host: 'admin' }, 'other-word-2'),
    ]) {
      await assert.rejects(act, 'This user does not exist.')
    }
    assert.deepEqual(rolesOf(database, username), [{ role: 'dbOwner', db: database }])
  })

  test('names that are taken are rejected, even if they differ only in case', async ({
    assert,
  }) => {
    const { database, username } = await make(one, 'shop')
    await assert.rejects(() => accounts.assertFree(one, { database }), /database with this name/)
    await assert.rejects(
      () => accounts.assertFree(one, { database: database.toUpperCase() }),
      /database with this name/
    )
    await assert.rejects(() => accounts.assertFree(one, { username }), /user with this name/)
    await accounts.assertFree(one, { database: `${one.prefix}new`, username: `${one.prefix}new` })
    await accounts.assertFree(other, { username })
  })

  test('creating a database again succeeds, and a failed creation leaves nothing', async ({
    assert,
  }) => {
    await make(one, 'shop')
    const { database, username } = await make(one, 'shop')
    assert.deepEqual(rolesOf(database, username), [{ role: 'dbOwner', db: database }])
    scripted.fail('createUser', { code: 8000, errmsg: 'no room for it' })
    await assert.rejects(() => make(one, 'second'), 'The database server says: no room for it')
    assert.isUndefined(rolesOf(`${one.prefix}second`, `${one.prefix}second`))
  })

  test('dropping a database drops its users and the roles of others in it', async ({ assert }) => {
    const { database, username } = await make(one, 'shop')
    const { database: second } = await make(one, 'second')
    scripted.users.get(`${second}.${second}`)!.roles.push({ role: 'read', db: database })
    scripted.collections.set(`${database}.orders`, {
      type: 'collection',
      options: {},
      documents: [],
      indexes: [],
    })
    await accounts.drop(one, database)
    await accounts.drop(one, database)
    assert.isUndefined(rolesOf(database, username))
    assert.deepEqual(rolesOf(second, second), [{ role: 'dbOwner', db: second }])
    assert.isFalse(scripted.collections.has(`${database}.orders`))
    const left = (await accounts.databases(one)).map(({ name }) => name)
    assert.deepEqual(left, [second])
  })

  test('a user can sign in only from the server itself and the allowed remote address', async ({
    assert,
  }) => {
    const { database, username } = await make(one, 'shop')
    await accounts.setRemoteAddress(one, { username, host: database }, '192.0.2.1')
    assert.deepEqual(scripted.users.get(`${database}.${username}`)?.authenticationRestrictions, [
      { clientSource: ['127.0.0.1', '::1', '192.0.2.1'] },
    ])
  })

  test('queries cannot run JavaScript, and run as a temporary user of one database', async ({
    assert,
  }) => {
    const { database } = await make(one, 'shop')
    const { database: theirs } = await make(other, 'shop')
    const ask = (text: string, write = false) =>
      browse.query(one, database, { id: 'q', text, write, limit: 10, timeout: 5 })
    await ask('{ "insert": "orders", "documents": [{ "_id": 1 }] }', true)
    const { rows } = await ask('{ "find": "orders" }')
    assert.deepEqual(rows, [['{"_id":1}']])
    const stolen = [
      `{ "aggregate": "orders", "pipeline": [{ "$lookup": { "from": { "db": "${theirs}", "coll": "orders" }, "as": "x" } }] }`,
      '{ "aggregate": "orders", "pipeline": [{ "$unionWith": { "pipeline": [{ "$documents": [] }] } }] }',
      '{ "aggregate": "orders", "pipeline": [{ "$facet": { "a": [{ "$out": "b" }] } }] }',
      '{ "aggregate": "orders", "pipeline": [{ "$merge": "b" }] }',
      '{ "aggregate": 1, "pipeline": [{ "$currentOp": {} }] }',
      '{ "find": "orders", "filter": { "$where": "sleep(1)" } }',
      '{ "find": "orders", "filter": { "$expr": { "$function": {} } } }',
      ...[
        '"let": { "a": { "$function": { "body": "f", "args": [], "lang": "js" } } }',
        '"let": { "a": [{ "b": { "$accumulator": {} } }] }',
        '"hint": { "$where": "1" }',
        '"collation": { "locale": { "$function": {} } }',
        '"cursor": { "a": { "$where": "1" } }',
      ].map((field) => `{ "aggregate": "orders", "pipeline": [], ${field} }`),
      ...[
        '"let": { "a": { "$function": {} } }',
        '"sort": { "a": { "$function": {} } }',
        '"projection": { "a": { "$function": {} } }',
        '"min": { "a": { "$where": "1" } }',
        '"filter": { "a": { "$code": "sleep(1)" } }',
        '"filter": { "__proto__": { "$where": "1" } }',
        '"filter": { "\\u0024where": "1" }',
        '"filter": { "a": { "$ref": "b", "$id": 1, "c": { "$where": "1" } } }',
      ].map((field) => `{ "find": "orders", ${field} }`),
      '{ "count": "orders", "query": { "$nor": [{ "$where": "1" }] } }',
      '{ "listCollections": 1, "filter": { "$where": "1" } }',
      '{ "find": "system.users" }',
      '{ "find": "orders", "$db": "admin" }',
      '{ "dropDatabase": 1 }',
      '{ "usersInfo": 1 }',
      '{ "mapReduce": "orders" }',
      '{ "delete": "orders", "deletes": [{ "q": {}, "limit": 0 }] }',
      'db.orders.find()',
    ]
    const before = scripted.commands.length
    const code = '{ "$function": { "body": "f", "args": [], "lang": "js" } }'
    const changing = [
      `{ "update": "orders", "updates": [{ "q": {}, "u": [{ "$set": { "a": ${code} } }] }] }`,
      `{ "update": "orders", "updates": [{ "q": {}, "u": {}, "c": { "a": ${code} } }] }`,
      `{ "update": "orders", "updates": [], "let": { "a": ${code} } }`,
      `{ "delete": "orders", "deletes": [{ "q": { "$where": "1" }, "limit": 0 }] }`,
      `{ "findAndModify": "orders", "query": {}, "update": [{ "$set": { "a": ${code} } }] }`,
      `{ "findAndModify": "orders", "remove": true, "fields": { "a": ${code} } }`,
      `{ "create": "more", "validator": { "$expr": ${code} } }`,
      `{ "createIndexes": "orders", "indexes": [{ "key": {}, "partialFilterExpression": { "$where": "1" } }] }`,
      `{ "collMod": "orders", "validator": { "$where": "1" } }`,
    ]
    for (const text of stolen) await assert.rejects(() => ask(text), /Nothing was run/)
    for (const text of changing) await assert.rejects(() => ask(text, true), /Nothing was run/)
    assert.lengthOf(scripted.commands, before)
    const made = scripted.commands.filter(([, name]) => name === 'createUser').slice(2)
    assert.deepEqual(
      made.map(([db, , { roles }]) => [db, (roles as { role: string }[])[0].role]),
      [
        [database, 'dbOwner'],
        [database, 'read'],
      ]
    )
    assert.lengthOf(
      [...scripted.users.keys()].filter((key) => /berth_work_/.test(key)),
      0
    )
    await browse.cancel(one, database, 'q')
    assert.isTrue(scripted.commands.some(([, name]) => name === 'killOp'))
  })

  test('errors contain the server’s message, but not the values of the request', async ({
    assert,
  }) => {
    const { database } = await make(one, 'shop')
    scripted.fail('usersInfo', 'end')
    await assert.rejects(() => accounts.users(one), /is not running/)
    scripted.fail('usersInfo', { code: 238, errmsg: 'not here' })
    await assert.rejects(
      () => accounts.users(one),
      'The database server does not support this: not here'
    )
    scripted.fail('createUser', { code: 2, errmsg: 'bad value' })
    const asked = { database, username: 'x', password: 'secret-word-9', access: 'read' as const }
    const error = await accounts.addUser(one, asked).catch((caught: unknown) => caught)
    assert.notInclude(JSON.stringify(error, Object.getOwnPropertyNames(error)), 'secret-word-9')
  })

  test('an import restores views, validators and TTL indexes, the latter at the end', async ({
    assert,
  }) => {
    const { database } = await make(one, 'shop')
    const folder = await mkdtemp(join(tmpdir(), 'dumps-'))
    const file = join(folder, 'dump.zip')
    const metadata = (more: object) => BSON.EJSON.stringify(more, { relaxed: false })
    const money = BSON.serialize({ _id: 1, cost: BSON.Decimal128.fromString('1.10') })
    const zip = createZip({
      'x/visits.bson': Buffer.concat([money, BSON.serialize({ _id: 2 })]),
      'x/visits.metadata.json': metadata({
        options: { validator: { at: { $exists: true } }, capped: false, uuid: 'of elsewhere' },
        indexes: [
          { v: 2, key: { _id: 1 }, name: '_id_', ns: 'x.visits' },
          { v: 2, key: { at: 1 }, name: 'ends', expireAfterSeconds: new BSON.Int32(60) },
          { v: 2, key: { of: new BSON.Double(1) }, name: 'of', unique: true },
        ],
        collectionName: 'visits',
        type: 'collection',
      }),
      'x/recent.metadata.json': metadata({
        options: { viewOn: 'visits', pipeline: [{ $match: { at: 1 } }] },
        indexes: [],
        collectionName: 'recent',
        type: 'view',
      }),
      'x/$admin.system.users.bson': BSON.serialize({ _id: 'x.root' }),
      'x/weather.metadata.json': metadata({
        options: { timeseries: { timeField: 'at' } },
        indexes: [],
        collectionName: 'weather',
        type: 'timeseries',
      }),
    })
    await writeFile(file, zip)
    const memory: Record<string, unknown> = {}
    const { contents, notes } = await transfer.import(one, database, {
      file,
      filename: 'dump.zip',
      merge: false,
      memory,
      report: async () => {},
      signal,
      commitPoint: async () => {},
      saveValue: async (key, value) => void (memory[key] = JSON.parse(JSON.stringify(value))),
    })
    await rm(folder, { recursive: true, force: true })
    assert.containSubset(contents, { tables: 1, rows: 2, views: 1 })
    assert.match(notes.join(' '), /time series weather was skipped/)
    assert.match(notes.join(' '), /users in the dump were skipped/)
    const visits = scripted.collections.get(`${database}.visits`)!
    assert.deepEqual(
      visits.indexes.map(({ name }) => name),
      ['_id_', 'of', 'ends']
    )
    assert.deepEqual(Buffer.from(visits.documents[0]), Buffer.from(money))
    assert.deepEqual(visits.options.validator, { at: { $exists: true } })
    assert.equal(scripted.collections.get(`${database}.recent`)?.options.viewOn, 'visits')
    const order = scripted.commands.map(([, name]) => name)
    assert.isBelow(order.lastIndexOf('renameCollection'), order.lastIndexOf('createIndexes'))
    const inserted = scripted.commands.find(([, name]) => name === 'insert')!
    assert.isTrue(inserted[2].bypassDocumentValidation)
    assert.lengthOf(
      [...scripted.users.keys()].filter((key) => /berth_work_/.test(key)),
      0
    )
    const { body } = await transfer.export(one, database)
    const out = await readZip(await buffer(body))
    const written = BSON.EJSON.parse(out.get('shop/visits.metadata.json')!.toString(), {
      relaxed: false,
    }) as { indexes: { key: unknown; name: string }[] }
    const kept = written.indexes.find(({ name }) => name === 'of')!.key as {
      of: { _bsontype: string }
    }
    assert.equal(kept.of._bsontype, 'Double')
    assert.isFalse(out.has('shop/recent.bson'))
    assert.isTrue(out.has('shop/recent.metadata.json'))
  })
})
