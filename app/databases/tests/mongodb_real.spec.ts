import { mongodbDriver } from '#databases/mongodb/driver'
import { withDatabase } from '#databases/mongodb/connect'
import { managedServer } from '#databases/servers/resolve_database_server'
import { makeCustomer } from '#tests/support/people'
import { test } from '@japa/runner'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

test.group('MongoDB | a real server', () => {
  if (!process.env.MONGODB_URL) {
    test('skipped without MongoDB', () => {}).skip(true, 'needs a MongoDB: set MONGODB_URL')
    return
  }

  test('accounts are isolated, and an exported database is imported completely', async ({
    assert,
  }) => {
    const server = managedServer((await makeCustomer()).id, 'mongodb')!
    const other = managedServer((await makeCustomer()).id, 'mongodb')!
    const password = 'pass-word-1'
    const name = (of: typeof server) => `${of.prefix}shop`
    const folder = await mkdtemp(join(tmpdir(), 'dumps-'))
    const account = { user: name(server), password, database: name(server) }
    try {
      for (const each of [server, other]) {
        await mongodbDriver.accounts.create(each, {
          database: name(each),
          username: name(each),
          password,
        })
      }
      await withDatabase(
        server,
        name(server),
        async (db) => {
          await db.collection('visits').insertMany([{ at: new Date() }, { at: new Date() }])
          await db.collection('visits').createIndex({ at: 1 }, { expireAfterSeconds: 3_600 })
          await db.createCollection('recent', { viewOn: 'visits', pipeline: [{ $limit: 1 }] })
        },
        account
      )
      await assert.rejects(
        () =>
          withDatabase(
            server,
            name(other),
            (db) => db.collection('visits').find().toArray(),
            account
          ),
        /does not have the right to do this/
      )
      const file = join(folder, 'dump.zip')
      const { body } = await mongodbDriver.transfer.export(server, name(server))
      await pipeline(body, createWriteStream(file))
      const memory: Record<string, unknown> = {}
      const { contents } = await mongodbDriver.transfer.import(other, name(other), {
        file,
        filename: 'dump.zip',
        merge: false,
        memory,
        report: async () => {},
        signal: new AbortController().signal,
        commitPoint: async () => {},
        saveValue: async (key, value) => void (memory[key] = JSON.parse(JSON.stringify(value))),
      })
      assert.containSubset(contents, { tables: 1, rows: 2, views: 1 })
      const { indexes } = await mongodbDriver.browse.structure(other, name(other), 'visits')
      assert.sameMembers(
        indexes.map(({ columns }) => columns.join()),
        ['_id', 'at']
      )
      const tables = await mongodbDriver.browse.tables(other, name(other))
      assert.sameMembers(
        tables.map((table) => `${table.type} ${table.name}`),
        ['collection visits', 'view recent']
      )
    } finally {
      for (const each of [server, other]) await mongodbDriver.accounts.drop(each, name(each))
      await rm(folder, { recursive: true, force: true })
    }
  }).timeout(600_000)
})
