import { insertBsonDocuments } from '#databases/mongodb/transfer/raw_insert'
import { mongodbTransfer as transfer } from '#databases/mongodb/transfer/driver'
import { readRestorePlan } from '#databases/mongodb/transfer/restore_plan'
import { IMPORT_COLLECTION_PREFIX } from '#databases/mongodb/names'
import { startTestMongodb, type TestMongodb } from '#databases/tests/mongodb_servers'
import { readZip, createZip } from '#tests/support/zips'
import { eventually } from '#tests/support/eventually'
import { ensureFerretdb } from '#tests/support/ferretdb'
import { test } from '@japa/runner'
import { BSON, type Document } from 'mongodb'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'

const { Binary, Double, Int32, Long, ObjectId, Timestamp, UUID } = BSON

/** Returns a document with many BSON types, and with field names that a JavaScript object would reorder. */
function kinds(): Uint8Array {
  const values = BSON.serialize(
    new Map<string, unknown>([
      ['_id', new ObjectId('0123456789abcdef01234567')],
      ['2', 'two'],
      ['1', 'one'],
      ['int', new Int32(7)],
      ['long', Long.fromString('7')],
      ['far', Long.fromString('9007199254740993')],
      ['whole', new Double(7)],
      ['date', new Date('2026-02-03T04:05:06.789Z')],
      ['binary', new Binary(Buffer.from([0, 255, 1]))],
      ['uuid', new UUID('01234567-89ab-4def-8123-456789abcdef').toBinary()],
      ['regexp', new BSON.BSONRegExp('^a', 'i')],
      ['time', new Timestamp({ t: 5, i: 6 })],
      ['list', [new Int32(1), new Double(1), null]],
      ['text', 'বাংলা 👍'],
    ]) as unknown as Document
  )
  return values
}

const signal = new AbortController().signal
const reason = await ensureFerretdb().then(
  () => '',
  (error: Error) => error.message
)

test.group('MongoDB data | metadata of a dump', () => {
  test('skipped options are listed, and the default index of _id is not created again', async ({
    assert,
  }) => {
    const fileOf = (path: string, metadata: object) => {
      const text = Buffer.from(JSON.stringify(metadata))
      return { path, size: text.length, read: () => Promise.resolve(Readable.from([text])) }
    }
    const files = [
      fileOf('x/a.metadata.json', {
        collectionName: 'a',
        options: { capped: true, storageEngine: {}, uuid: 'x' },
        indexes: [
          { name: '_id_', key: { _id: { $numberInt: '1' } } },
          { name: '_id_hashed', key: { _id: 'hashed' } },
        ],
      }),
      fileOf('x/v.metadata.json', {
        collectionName: 'v',
        type: 'view',
        options: { viewOn: 'a', pipeline: [], comment: 'x' },
      }),
    ]
    const plan = await readRestorePlan({ files, close() {} })
    assert.deepEqual(
      plan.collections[0].indexes.map(({ name }) => name as string),
      ['_id_hashed']
    )
    assert.deepEqual(plan.notes.slice(0, 2), [
      'Skipped options of a: storageEngine.',
      'Skipped options of v: comment.',
    ])
    const none = { files: [fileOf('x/system.js.metadata.json', {})], close() {} }
    await assert.rejects(
      () => readRestorePlan(none),
      /contains no collection .*system\.js.* skipped/
    )
  })
})

test.group('MongoDB data', (group) => {
  if (reason) {
    test('skipped without FerretDB', () => {}).skip(true, reason)
    return
  }
  let mongodb: TestMongodb
  let folder: string

  group.setup(async () => {
    mongodb = await startTestMongodb()
    folder = await mkdtemp(join(tmpdir(), 'dumps-'))
  })
  group.teardown(async () => {
    await mongodb.stop()
    await rm(folder, { recursive: true, force: true })
  })

  let number = 0
  const fresh = () => `shop_${++number}`
  const exported = async (database: string) => {
    const { body } = await transfer.export(mongodb.server, database)
    return buffer(body)
  }
  const bringIn = async (
    database: string,
    zip: Buffer,
    more: {
      merge?: boolean
      memory?: Record<string, unknown>
      signal?: AbortSignal
      report?: () => Promise<void>
      commitPoint?: () => Promise<void>
    } = {}
  ) => {
    const file = join(folder, `${database}-${++number}.zip`)
    await writeFile(file, zip)
    const kept = more.memory ?? {}
    return transfer.import(mongodb.server, database, {
      file,
      filename: 'dump.zip',
      merge: more.merge ?? false,
      memory: kept,
      report: more.report ?? (async () => {}),
      signal: more.signal ?? signal,
      commitPoint: more.commitPoint ?? (async () => {}),
      async saveValue(key, value) {
        kept[key] = JSON.parse(JSON.stringify(value))
      },
    })
  }
  const put = (database: string, collection: string, documents: Document[]) =>
    mongodb.within(database, async (db) => {
      await db.collection(collection).insertMany(documents)
    })
  const all = (database: string, collection: string) =>
    mongodb.within(database, (db) => db.collection(collection).find({}).sort({ _id: 1 }).toArray())
  const names = (database: string) =>
    mongodb.within(database, async (db) => {
      const found = await db.listCollections({}, { nameOnly: true }).toArray()
      return found.map(({ name }) => name).sort()
    })
  const dumpOf = (files: Record<string, Uint8Array | string>) => createZip(files)
  const bsonOf = (documents: Document[]) =>
    Buffer.concat(documents.map((each) => BSON.serialize(each)))

  test('an export has the layout of mongodump, and its documents are imported byte for byte', async ({
    assert,
  }) => {
    const [from, to] = [fresh(), fresh()]
    const given = kinds()
    await mongodb.within(from, async (db) => {
      await insertBsonDocuments(db, 'all kinds', [given])
      await db.collection('orders').insertMany([{ _id: 1 as never, total: new Int32(5) }])
      await db.collection('orders').createIndex({ total: 1 }, { unique: true, name: 'by_total' })
    })
    const zip = await exported(from)
    const files = await readZip(zip)
    assert.sameMembers(
      [...files.keys()],
      [
        `${from}/all+kinds.bson`,
        `${from}/all+kinds.metadata.json`,
        `${from}/orders.bson`,
        `${from}/orders.metadata.json`,
        `${from}/prelude.json`,
      ]
    )
    assert.deepEqual(files.get(`${from}/all+kinds.bson`), Buffer.from(given))
    const metadata = JSON.parse(files.get(`${from}/orders.metadata.json`)!.toString())
    assert.equal(metadata.collectionName, 'orders')
    assert.include(
      metadata.indexes.map(({ name }: { name: string }) => name),
      'by_total'
    )
    const { contents, notes } = await bringIn(to, zip)
    assert.containSubset(contents, { tables: 2, rows: 2, views: 0 })
    assert.match(notes.join(' '), /A dump does not contain users/)
    const again = await readZip(await exported(to))
    assert.deepEqual(again.get(`${to}/all+kinds.bson`), Buffer.from(given))
    const indexes = await mongodb.within(to, (db) => db.collection('orders').indexes())
    assert.isTrue(indexes.find(({ name }) => name === 'by_total')?.unique)
    assert.deepEqual(await names(to), ['all kinds', 'orders'])
  })

  test('an archive of the real mongodump is imported and exported unchanged', async ({
    assert,
  }) => {
    const [database, again] = [fresh(), fresh()]
    const dump = await readFile(join(import.meta.dirname, 'dumps/harbour.zip'))
    const { contents } = await bringIn(database, dump)
    assert.containSubset(contents, { tables: 3, rows: 3 })
    const boats = await all(database, 'boats')
    assert.deepEqual(
      boats.map(({ name }) => name as string),
      ['Sundari', 'নৌকা']
    )
    assert.deepEqual(await names(database), ['boats', 'empty', 'log entries'])
    const zip = await exported(database)
    const [given, made] = [await readZip(dump), await readZip(zip)]
    for (const [path, bytes] of given) {
      const mine = made.get(path.replace('harbour/', `${database}/`))
      assert.exists(mine, path)
      if (path.endsWith('.bson')) assert.deepEqual(mine, bytes, path)
      if (!path.endsWith('.metadata.json')) continue
      const [theirs, ours] = [bytes, mine!].map((json) => JSON.parse(json.toString()) as Document)
      assert.deepEqual(ours.indexes, theirs.indexes, path)
      assert.deepEqual(Object.keys(ours), Object.keys(theirs), path)
    }
    await bringIn(again, zip)
    assert.deepEqual(await all(again, 'boats'), boats)
  })

  test('an import replaces the existing documents, or keeps them on request', async ({
    assert,
  }) => {
    const database = fresh()
    await put(database, 'orders', [{ _id: 1 as never, of: 'before' }])
    await put(database, 'people', [{ _id: 1 as never }])
    const dump = dumpOf({
      'x/orders.bson': bsonOf([
        { _id: 1, of: 'dump' },
        { _id: 2, of: 'dump' },
      ]),
      'x/fresh.bson': bsonOf([{ _id: 9 }]),
    })
    const merged = await bringIn(database, dump, { merge: true })
    assert.deepEqual(await all(database, 'orders'), [
      { _id: 1, of: 'before' },
      { _id: 2, of: 'dump' },
    ] as never)
    assert.deepEqual(await names(database), ['fresh', 'orders', 'people'])
    assert.match(merged.notes.join(' '), /1 documents of orders already existed/)
    await bringIn(database, dump)
    assert.deepEqual(await all(database, 'orders'), [
      { _id: 1, of: 'dump' },
      { _id: 2, of: 'dump' },
    ] as never)
    assert.deepEqual(await names(database), ['fresh', 'orders'])
  })

  test('a merge fails if a program creates a collection of the file meanwhile', async ({
    assert,
  }) => {
    const dump = dumpOf({
      'x/orders.bson': bsonOf([{ _id: 2, of: 'dump' }]),
      'x/fresh.bson': bsonOf([{ _id: 9, of: 'dump' }]),
    })
    const written = [{ _id: 1, of: 'program' }] as never
    for (const moment of ['report', 'commitPoint'] as const) {
      const database = fresh()
      await put(database, 'orders', [{ _id: 1 as never, of: 'before' }])
      let isWritten = false
      const write = async () => {
        if (!isWritten) await put(database, 'fresh', structuredClone(written))
        isWritten = true
      }
      await assert.rejects(
        () => bringIn(database, dump, { merge: true, [moment]: write }),
        'A program changed the collection fresh during the import, so nothing was imported. Stop programs that write to it and import again.'
      )
      assert.isTrue(isWritten)
      assert.deepEqual(await all(database, 'fresh'), written)
      assert.deepEqual(await all(database, 'orders'), [{ _id: 1, of: 'before' }] as never)
      assert.deepEqual(await names(database), ['fresh', 'orders'])
      // An import that replaces the data may drop the collection that the program created.
      await bringIn(database, dump, { [moment]: write })
      assert.deepEqual(await all(database, 'fresh'), [{ _id: 9, of: 'dump' }] as never)
    }
  })

  test('a merge fails if a program writes before the collections move', async ({ assert }) => {
    const dump = dumpOf({ 'x/orders.bson': bsonOf([{ _id: 2, of: 'dump' }]) })
    const database = fresh()
    await put(database, 'orders', [{ _id: 1 as never, of: 'before' }])
    const commitPoint = () => put(database, 'orders', [{ _id: 5 as never, of: 'program' }])
    await assert.rejects(
      () => bringIn(database, dump, { merge: true, commitPoint }),
      /^A program changed the collection orders during the import/
    )
    assert.deepEqual(await all(database, 'orders'), [
      { _id: 1, of: 'before' },
      { _id: 5, of: 'program' },
    ] as never)
    assert.deepEqual(await names(database), ['orders'])
  })

  test('an import of an invalid archive fails and leaves the old data', async ({ assert }) => {
    const database = fresh()
    await put(database, 'orders', [{ _id: 1 as never, of: 'before' }])
    const whole = bsonOf([{ _id: 5 }, { _id: 6 }])
    const doubled = bsonOf([{ _id: 5 }, { _id: 5 }])
    const broken: [Buffer, RegExp][] = [
      [
        dumpOf({ 'x/orders.bson': whole.subarray(0, whole.length - 3) }),
        /ends in the middle of a document/,
      ],
      [dumpOf({ 'x/orders.bson': 'what is this, no documents' }), /contains no documents/],
      [
        dumpOf({ 'x/a.bson': whole, 'x/orders.bson': doubled }),
        /collection berth_import_.*duplicate/i,
      ],
      [dumpOf({ 'x/orders.bson': whole }).subarray(0, 60), /not a readable zip archive/],
      [dumpOf({ 'readme.txt': 'hello' }), /contains no collection that/],
      [dumpOf({ 'x/a.bson': whole, 'y/b.bson': whole }), /contains several databases \(x, y\)/],
      [dumpOf({ 'x/orders.bson.gz': 'x' }), /--gzip/],
      [dumpOf({ 'x/system.users.bson': whole }), /cannot be created: system.users/],
      [dumpOf({ '../orders.bson': whole }), /invalid relative path/],
      [
        dumpOf({
          'x/v.metadata.json': JSON.stringify({
            options: { viewOn: 'orders', pipeline: [{ $out: 'orders' }] },
            type: 'view',
          }),
        }),
        /The view v cannot be created: The stage \$out/,
      ],
    ]
    for (const [zip, words] of broken) {
      await assert.rejects(() => bringIn(database, zip), words)
      assert.deepEqual(await all(database, 'orders'), [{ _id: 1, of: 'before' }] as never)
      assert.deepEqual(await names(database), ['orders'])
    }
  })

  test('an import that is interrupted anywhere resumes, or leaves the old data', async ({
    assert,
  }) => {
    const dump = dumpOf({
      'x/a.bson': bsonOf([{ _id: 1, of: 'dump' }]),
      'x/b.bson': bsonOf([{ _id: 2, of: 'dump' }]),
      'x/c.bson': bsonOf([{ _id: 3, of: 'dump' }]),
    })
    // In each round, the import fails at another rename, as if its worker was killed. A second run must resume it.
    for (const cut of [0, 1, 2, 3, 4]) {
      const database = fresh()
      await put(database, 'a', [{ _id: 1 as never, of: 'before' }])
      await put(database, 'b', [{ _id: 1 as never, of: 'before' }])
      const kept: Record<string, unknown> = {}
      let renames = 0
      const ended = new Error('the worker has ended')
      const { Db } = await import('mongodb')
      const command = Db.prototype.command
      Db.prototype.command = function (this: never, asked: Document, ...rest: never[]) {
        if (asked.renameCollection && renames++ === cut) {
          // The error looks like a lost connection. The import then neither renames further collections nor rolls
          // back, like a killed worker.
          return Promise.reject(Object.assign(ended, { name: 'MongoNetworkError' }))
        }
        return command.call(this, asked, ...rest)
      } as never
      try {
        await assert.rejects(() => bringIn(database, dump, { memory: kept }))
      } finally {
        Db.prototype.command = command
      }
      await bringIn(database, dump, { memory: kept })
      for (const [name, id] of Object.entries({ a: 1, b: 2, c: 3 })) {
        assert.deepEqual(await all(database, name), [{ _id: id, of: 'dump' }] as never, `${cut}`)
      }
      assert.deepEqual(await names(database), ['a', 'b', 'c'])
    }
  }).timeout(900_000)

  test('an import whose last step fails is rolled back', async ({ assert }) => {
    const database = fresh()
    await put(database, 'a', [{ _id: 1 as never, of: 'before' }])
    await put(database, 'gone', [{ _id: 1 as never, of: 'before' }])
    const dump = dumpOf({
      'x/a.bson': bsonOf([{ _id: 1, of: 'dump' }]),
      'x/b.bson': bsonOf([{ _id: 2, of: 'dump' }]),
      // FerretDB does not support views, so the import fails in its last step, after all renames.
      'x/v.metadata.json': JSON.stringify({
        options: { viewOn: 'a', pipeline: [] },
        indexes: [],
        collectionName: 'v',
        type: 'view',
      }),
    })
    await assert.rejects(
      () => bringIn(database, dump),
      /The import failed, and the database is unchanged/
    )
    assert.deepEqual(await all(database, 'a'), [{ _id: 1, of: 'before' }] as never)
    assert.deepEqual(await names(database), ['a', 'gone'])
  })

  test('a cancelled import leaves the old data, and no temporary collection', async ({
    assert,
  }) => {
    const database = fresh()
    await put(database, 'a', [{ _id: 1 as never, of: 'before' }])
    const stop = new AbortController()
    stop.abort(new Error('cancelled'))
    const dump = dumpOf({ 'x/a.bson': bsonOf([{ _id: 7 }]) })
    await assert.rejects(() => bringIn(database, dump, { signal: stop.signal }), 'cancelled')
    assert.deepEqual(await all(database, 'a'), [{ _id: 1, of: 'before' }] as never)
    assert.deepEqual(await names(database), ['a'])
  })

  test('an export fails if the server stops during it', async ({ assert }) => {
    const database = fresh()
    const text = 'x'.repeat(100_000)
    for (let part = 0; part < 5; part++) {
      const some = Array.from({ length: 60 }, (_, each) => ({
        _id: `${part}-${each}` as never,
        text,
      }))
      await put(database, 'large', some)
    }
    const { body } = await transfer.export(mongodb.server, database)
    const reading = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>
    await reading.next()
    await mongodb.ferretdb.kill()
    const rest = async () => {
      while (!(await reading.next()).done);
    }
    await assert.rejects(rest, /is not running|socket|closed|says/)
    await mongodb.ferretdb.start()
    await eventually(() => names(database))
    assert.notInclude((await names(database)).join(), IMPORT_COLLECTION_PREFIX)
  }).timeout(600_000)

  test('the contents of a database are counted', async ({ assert }) => {
    const database = fresh()
    await put(database, 'a', [{ n: 1 }, { n: 2 }])
    const counted = await transfer.contents(mongodb.server, database)
    assert.containSubset(counted, { tables: 1, rows: 2, views: 0 })
  })

  test('credentials for an export are checked, and an import requires a zip file', async ({
    assert,
  }) => {
    const { server } = mongodb
    const wrong = { username: 'nobody', password: 'wrong-pass-1' }
    await assert.rejects(
      () => transfer.assertCredentials(server, fresh(), wrong),
      'The user name or password is wrong for this database.'
    )
    assert.throws(() => transfer.assertFile('dump.tar'), 'Not a zip file')
    assert.doesNotThrow(() => transfer.assertFile('dump.ZIP'))
  })
})
