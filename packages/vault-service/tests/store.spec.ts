import { test } from '@japa/runner'
import { createHash, randomBytes } from 'node:crypto'
import {
  link,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  statfs,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { vaultErrors, VaultError } from '../errors.js'
import {
  findOrphans,
  removeOrphans,
  sweepDoomedBodies,
  deleteExpiredUploads,
  purgeDeletedVaults,
} from '../upkeep/sweep.js'
import { moveObjectsToVaultStore } from '../upkeep/move_objects.js'
import { scrub } from '../upkeep/scrub.js'
import { recordHourlyStorageUsage } from '../meter/spending_limits.js'
import { FolderBodyStorage } from '../store/folder_body_storage.js'
import {
  createStoreFixture,
  streamOf,
  PLAIN_TEXT_METADATA,
  type StoreFixture,
} from './store_fixture.js'

const codeOf = (error: unknown) => (error instanceof VaultError ? error.code : String(error))
const refusal = (work: Promise<unknown>) => work.then(() => 'done', codeOf)

async function files(folder: string): Promise<string[]> {
  const found: string[] = []
  for (const name of await readdir(folder)) {
    found.push(...(await readdir(join(folder, name))).map((file) => join(folder, name, file)))
  }
  return found
}

/** Makes reads of a file fail with an error other than ENOENT (EISDIR), as a bad sector does (EIO). */
async function replaceByUnreadable(path: string): Promise<void> {
  await rm(path)
  await mkdir(path)
}

test.group('Vault store', (group) => {
  let on: StoreFixture
  group.each.setup(async () => {
    on = await createStoreFixture()
    return () => on.end()
  })
  const bodies = () => files(join(on.folder, 'bodies'))

  test('returns an object as it was written, with its checksum, size and headers', async ({
    assert,
  }) => {
    const bytes = randomBytes(3_500_000)
    const received = await on.store.receive(
      on.vault,
      streamOf(bytes.subarray(0, 7), bytes.subarray(7))
    )
    const facts = {
      ...PLAIN_TEXT_METADATA,
      type: 'image/png',
      headers: { cacheControl: 'no-cache' },
      meta: { a: 'ü' },
    }
    await on.store.put(on.vault, 'a/b ü.png', received, facts)
    const found = (await on.store.head(on.vault, 'a/b ü.png'))!
    assert.containsSubset(found, { ...facts, size: bytes.length })
    assert.equal(found.etag, createHash('md5').update(bytes).digest('hex'))
    const read: Buffer[] = []
    for await (const chunk of on.store.read(found)) read.push(chunk as Buffer)
    assert.isTrue(Buffer.concat(read).equals(bytes))
    for (const [start, end] of [
      [0, 0],
      [1_048_575, 1_048_577],
      [3_499_999, 3_499_999],
      [5, 3_000_000],
    ]) {
      const some: Buffer[] = []
      for await (const chunk of on.store.read(found, { start, end })) some.push(chunk as Buffer)
      assert.isTrue(Buffer.concat(some).equals(bytes.subarray(start, end + 1)), `${start}-${end}`)
    }
  })

  test('stores an empty object', async ({ assert }) => {
    await on.write('empty', '')
    assert.equal(await on.text('empty'), '')
    assert.containsSubset(await on.vaultNow(), { bytes: 0, objects: 1 })
  })

  test('an upload that is truncated, too long or failing leaves nothing', async ({ assert }) => {
    await on.write('kept', 'old')
    const before = await bodies()
    const short = on.store.receive(on.vault, streamOf('abc'), 4)
    const long = on.store.receive(on.vault, streamOf('abc', 'de'), 4)
    const broken = on.store.receive(
      on.vault,
      (async function* () {
        yield Buffer.alloc(3_000_000)
        throw vaultErrors.checksum()
      })()
    )
    assert.deepEqual(await Promise.all([short, long, broken].map(refusal)), [
      'cut_short',
      'cut_short',
      'checksum',
    ])
    assert.deepEqual(await bodies(), before)
    assert.equal(await on.text('kept'), 'old')
  })

  test('of many concurrent writers, exactly one creates a new name, and the counters are exact', async ({
    assert,
  }) => {
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const received = await on.store.receive(on.vault, streamOf(`text ${index}`))
        return refusal(
          on.store.put(on.vault, 'wanted', received, PLAIN_TEXT_METADATA, { absent: true })
        )
      })
    )
    assert.lengthOf(
      outcomes.filter((outcome) => outcome === 'done'),
      1
    )
    assert.lengthOf(
      outcomes.filter((outcome) => outcome === 'condition'),
      39
    )
    assert.lengthOf(await bodies(), 1)
    const { bytes, objects } = await on.vaultNow()
    assert.deepEqual({ bytes, objects }, { bytes: (await on.text('wanted'))!.length, objects: 1 })
  })

  test('a conditional write fails unless the ETag matches', async ({ assert }) => {
    const { etag } = await on.write('a', 'one')
    const put = async (tag: string) =>
      refusal(
        on.store.put(
          on.vault,
          'a',
          await on.store.receive(on.vault, streamOf('two')),
          PLAIN_TEXT_METADATA,
          {
            etag: tag,
          }
        )
      )
    assert.equal(await put('0123'), 'condition')
    assert.equal(await on.text('a'), 'one')
    assert.equal(await put(etag), 'done')
    assert.equal(await on.text('a'), 'two')
    assert.deepEqual(await on.store.remove(on.vault, ['a'], etag), [])
    assert.equal(await on.text('a'), 'two')
  })

  test('counters stay exact while two stores overwrite and delete objects', async ({ assert }) => {
    const other = await createStoreFixture()
    const [{ vault }] = [on]
    const both = [on.store, other.store]
    await Promise.all(
      Array.from({ length: 300 }, async (_, index) => {
        const store = both[index % 2]
        const name = `n${index % 17}`
        if (index % 5 === 4) return void (await store.remove(vault, [name]))
        await store.put(
          vault,
          name,
          await store.receive(vault, streamOf('x'.repeat(index))),
          PLAIN_TEXT_METADATA
        )
      })
    )
    const real = await on.database.row(
      'select coalesce(sum(size), 0)::bigint as bytes, count(*) as objects from vault.objects where vault_id = $1',
      [vault.id]
    )
    const { bytes, objects } = await on.vaultNow()
    assert.deepEqual({ bytes, objects }, real as object)
    const named = await on.database.row<{ n: number; distinct: number }>(
      `select count(*) as n, count(distinct b) as distinct from (
         select unnest(bodies) as b from vault.objects where vault_id = $1
         union all select body from vault.doomed) all_bodies`,
      [vault.id]
    )
    assert.equal(named!.n, named!.distinct, 'no body is named twice')
    await other.end()
  })

  test('lists have the same names in byte order for any page size, with and without folders', async ({
    assert,
  }) => {
    const names = [
      'a',
      'a/',
      'a/b',
      'a/b/c',
      'a/b/d',
      'a0',
      'B',
      'é',
      'a/é',
      'z/1',
      'z/2',
      'z!',
      '\u{1F600}',
      '\u{10FFFF}',
      'a\u{10FFFF}b',
      'z/\u{10FFFF}\u{10FFFF}',
      'a-b',
      'a/b-c',
    ]
    await Promise.all(names.map((name) => on.write(name, name)))
    const sorted = names.toSorted((one, other) =>
      Buffer.compare(Buffer.from(one), Buffer.from(other))
    )
    for (const prefix of ['', 'a', 'a/', 'z', 'nothing']) {
      for (const delimiter of [undefined, '/', '-']) {
        const expected = reference(sorted, prefix, delimiter)
        for (const limit of [1, 2, 3, 7, 100]) {
          const found: string[] = []
          let after: string | undefined
          do {
            const page = await on.store.list(on.vault, { prefix, delimiter, after, limit })
            const here = [...page.objects.map(({ name }) => name), ...page.prefixes]
            assert.isAtMost(here.length, limit)
            found.push(...here)
            after = page.next
          } while (after !== undefined)
          assert.sameMembers(found, expected, `${prefix} ${delimiter} ${limit}`)
          assert.lengthOf(found, expected.length, `${prefix} ${delimiter} ${limit}`)
        }
      }
    }
  })

  test('the last page of a list is marked as the last one, even if it is full', async ({
    assert,
  }) => {
    await Promise.all(['a', 'b', 'c/1', 'c/2'].map((name) => on.write(name, name)))
    const all = await on.store.list(on.vault, { limit: 4 })
    assert.isUndefined(all.next)
    const folders = await on.store.list(on.vault, { delimiter: '/', limit: 3 })
    assert.deepEqual([folders.objects.length, folders.prefixes], [2, ['c/']])
    assert.isUndefined(folders.next)
  })

  test('deletes a whole folder, but not its neighbours', async ({ assert }) => {
    await Promise.all(['a/1', 'a/b/2', 'a', 'a0', 'a%'].map((name) => on.write(name, 'x')))
    assert.equal(await on.store.removeBeginning(on.vault, 'a/'), 2)
    const left = await on.store.list(on.vault, { limit: 10 })
    assert.deepEqual(
      left.objects.map(({ name }) => name),
      ['a', 'a%', 'a0']
    )
    assert.containsSubset(await on.vaultNow(), { bytes: 3, objects: 3 })
  })

  test('parts become one object, completing again returns the same object, and a later abort does not change it', async ({
    assert,
  }) => {
    const { store, vault } = on
    const upload = await store.beginUpload(vault, 'big', {
      ...PLAIN_TEXT_METADATA,
      type: 'video/mp4',
    })
    const parts = [randomBytes(5_242_880), randomBytes(5_242_880), randomBytes(10)]
    const sent = await Promise.all(
      parts.map(async (part, index) =>
        store.putPart(vault, upload.id, index + 1, await store.receive(vault, streamOf(part)), {})
      )
    )
    parts[1] = randomBytes(5_242_880)
    sent[1] = await store.putPart(
      vault,
      upload.id,
      2,
      await store.receive(vault, streamOf(parts[1])),
      {}
    )
    assert.isUndefined(await store.head(vault, 'big'))
    const wanted = sent.map(({ number, etag }) => ({ number, etag }))
    assert.equal(
      await refusal(store.completeUpload(vault, upload.id, wanted.toReversed())),
      'invalid_part_order'
    )
    assert.equal(
      await refusal(store.completeUpload(vault, upload.id, [{ number: 1, etag: 'x' }])),
      'invalid_part'
    )
    const made = await Promise.all(
      [1, 2, 3].map(() => store.completeUpload(vault, upload.id, wanted))
    )
    assert.deepEqual(made[1], made[0])
    assert.deepEqual(made[2], made[0])
    assert.match(made[0].etag, /^[0-9a-f]{32}-3$/)
    await store.abortUpload(vault, upload.id)
    const read: Buffer[] = []
    for await (const chunk of store.read((await store.head(vault, 'big'))!))
      read.push(chunk as Buffer)
    assert.isTrue(Buffer.concat(read).equals(Buffer.concat(parts)))
    const across: Buffer[] = []
    const range = { start: 5_242_870, end: 10_485_765 }
    for await (const chunk of store.read(made[0], range)) across.push(chunk as Buffer)
    assert.isTrue(
      Buffer.concat(across).equals(Buffer.concat(parts).subarray(5_242_870, 10_485_766))
    )
    await sweepDoomedBodies(on.database, on.stores, { grace: 0 })
    assert.lengthOf(await bodies(), 3)
  })

  test('the hourly storage usage includes parts of unfinished uploads, and each byte once', async ({
    assert,
  }) => {
    const { store, vault } = on
    const addedByHour = async () => {
      await on.database.rows(`delete from vault.held_hours where hour = date_trunc('hour', now())`)
      await on.database.rows('delete from vault.usage where vault_id = $1', [vault.id])
      await recordHourlyStorageUsage(on.database)
      await recordHourlyStorageUsage(on.database)
      const row = await on.database.row<{ hours: string }>(
        'select sum(byte_hours)::text as hours from vault.usage where vault_id = $1',
        [vault.id]
      )
      return row!.hours
    }
    assert.isNull(await addedByHour())
    const begun = await store.beginUpload(vault, 'big', PLAIN_TEXT_METADATA)
    const put = async (id: string, number: number, size: number) =>
      store.putPart(vault, id, number, await store.receive(vault, streamOf(Buffer.alloc(size))), {})
    const { number, etag } = await put(begun.id, 1, 2_000_000)
    assert.equal(await addedByHour(), '2000000')
    await on.write('a', 'text')
    const second = await store.beginUpload(vault, 'big', PLAIN_TEXT_METADATA)
    await put(second.id, 1, 30)
    await put(second.id, 2, 500)
    await put(second.id, 2, 600)
    assert.equal(await addedByHour(), '2000634')
    await store.completeUpload(vault, begun.id, [{ number, etag }])
    assert.equal(await addedByHour(), '2000634')
    await store.abortUpload(vault, second.id)
    assert.equal(await addedByHour(), '2000004')
    await on.database.rows('delete from vault.usage where vault_id = $1', [vault.id])
  })

  test('the hourly storage usage includes deleted bodies that are not removed yet, for an hour', async ({
    assert,
  }) => {
    const { store, vault } = on
    const overwritten = await on.write('a', 'x'.repeat(1_000))
    await on.write('a', 'y')
    await on.write('b', 'x'.repeat(200))
    await store.remove(vault, ['b'])
    const aborted = await store.beginUpload(vault, 'c', PLAIN_TEXT_METADATA)
    const part = async (size: number) =>
      store.putPart(
        vault,
        aborted.id,
        1,
        await store.receive(vault, streamOf(Buffer.alloc(size))),
        {}
      )
    await part(30)
    await part(4)
    await store.abortUpload(vault, aborted.id)

    const deletedAgo = (minutes: number) =>
      on.database.rows(
        `update vault.doomed set at = date_trunc('hour', now()) - make_interval(mins => $2) where vault_id = $1`,
        [vault.id, minutes]
      )
    const counted = async () => {
      await on.database.rows(`delete from vault.held_hours where hour = date_trunc('hour', now())`)
      await on.database.rows('delete from vault.usage where vault_id = $1', [vault.id])
      await recordHourlyStorageUsage(on.database)
      const [{ hours }] = await on.database.rows<{ hours: string }>(
        'select byte_hours::text as hours from vault.usage where vault_id = $1',
        [vault.id]
      )
      return Number(hours)
    }
    await deletedAgo(-1)
    assert.equal(await counted(), 1, 'deleted in this hour, counts in the next')
    await deletedAgo(1)
    assert.equal(await counted(), 1 + overwritten.size + 200 + 30 + 4)
    await deletedAgo(61)
    assert.equal(await counted(), 1, 'counted an hour ago')

    // Bodies that still wait for removal are charged even after their vault was deleted.
    await on.database.rows(`update vault.vaults set state = 'deleted' where id = $1`, [vault.id])
    await purgeDeletedVaults(on.database)
    await deletedAgo(1)
    assert.equal(await counted(), 1 + overwritten.size + 200 + 30 + 4)
    await sweepDoomedBodies(on.database, on.stores, { grace: 0 })
    await purgeDeletedVaults(on.database)
    const left = await on.database.rows('select from vault.vaults where id = $1', [vault.id])
    assert.lengthOf(left, 0)
    await on.database.rows('delete from vault.usage where vault_id = $1', [vault.id])
  })

  test('deleted bodies wait for a backup only while there is enough disk space', async ({
    assert,
    cleanup,
  }) => {
    cleanup(async () => {
      await on.database.rows('delete from vault.backed_up')
    })
    await on.database.rows(
      `insert into vault.backed_up (at, until) values (now() - interval '1 hour', now() + interval '1 hour')`
    )
    await on.write('a', 'one')
    await on.store.remove(on.vault, ['a'])
    const logged: object[] = []
    const options = { grace: 0, log: (entry: object) => void logged.push(entry) }
    await sweepDoomedBodies(on.database, on.stores, options)
    assert.lengthOf(await bodies(), 1)
    assert.lengthOf(logged, 0)
    const { bavail, bsize } = await statfs(on.folder)
    const full = new FolderBodyStorage(join(on.folder, 'bodies'), bavail * bsize)
    await sweepDoomedBodies(on.database, { folder: full }, options)
    assert.lengthOf(await bodies(), 0)
    assert.containsSubset(logged, [{ level: 40, store: 'folder', removed: 1 }])
    // If no backups are scheduled, no removal is early, so nothing more is logged.
    await on.database.rows('delete from vault.backed_up')
    await on.write('b', 'two')
    await on.store.remove(on.vault, ['b'])
    await sweepDoomedBodies(on.database, { folder: full }, options)
    assert.lengthOf(await bodies(), 0)
    assert.lengthOf(logged, 1)
  })

  test('an aborted multipart upload leaves nothing, and rejects further parts', async ({
    assert,
  }) => {
    const { store, vault } = on
    const upload = await store.beginUpload(vault, 'big', PLAIN_TEXT_METADATA)
    await store.putPart(vault, upload.id, 1, await store.receive(vault, streamOf('part')), {})
    assert.lengthOf(await store.uploads(vault, { limit: 10 }), 1)
    await store.abortUpload(vault, upload.id)
    const late = store
      .receive(vault, streamOf('late'))
      .then((it) => store.putPart(vault, upload.id, 2, it, {}))
    assert.equal(await refusal(late), 'no_upload')
    await sweepDoomedBodies(on.database, on.stores, { grace: 0 })
    assert.deepEqual(await bodies(), [])
    assert.lengthOf(await store.uploads(vault, { limit: 10 }), 0)
  })

  test('deletes uncompleted uploads after 7 days', async ({ assert }) => {
    const { store, vault } = on
    const [old, young] = [
      await store.beginUpload(vault, 'old', PLAIN_TEXT_METADATA),
      await store.beginUpload(vault, 'young', PLAIN_TEXT_METADATA),
    ]
    for (const { id } of [old, young]) {
      await store.putPart(vault, id, 1, await store.receive(vault, streamOf('part')), {})
    }
    await on.database.rows(
      `update vault.uploads set started_at = now() - interval '8 days' where id = $1`,
      [old.id]
    )
    await deleteExpiredUploads(on.database)
    await sweepDoomedBodies(on.database, on.stores, { grace: 0 })
    assert.deepEqual(
      (await store.uploads(vault, { limit: 10 })).map(({ name }) => name),
      ['young']
    )
    assert.lengthOf(await bodies(), 1)
  })

  test('removes bodies of overwritten and deleted objects after a delay', async ({ assert }) => {
    const first = await on.write('a', 'one')
    await on.write('a', 'two')
    await on.write('b', 'three')
    await on.store.remove(on.vault, ['b'])
    await sweepDoomedBodies(on.database, on.stores)
    assert.lengthOf(await bodies(), 3)
    const reading: Buffer[] = []
    for await (const chunk of on.store.read(first)) reading.push(chunk as Buffer)
    assert.equal(Buffer.concat(reading).toString(), 'one')
    await sweepDoomedBodies(on.database, on.stores, { grace: 0 })
    assert.lengthOf(await bodies(), 1)
    assert.equal(await on.text('a'), 'two')
  })

  test('a search for orphans finds only bodies that are old and whose object was never committed', async ({
    assert,
  }) => {
    await on.write('a', 'one')
    const upload = await on.store.beginUpload(on.vault, 'big', PLAIN_TEXT_METADATA)
    await on.store.putPart(
      on.vault,
      upload.id,
      1,
      await on.store.receive(on.vault, streamOf('part')),
      {}
    )
    const lost = await on.store.receive(on.vault, streamOf('lost'))
    const young = await findOrphans(on.database, 'folder', on.stores.folder)
    assert.deepEqual(young.orphans, [])
    const old = await findOrphans(on.database, 'folder', on.stores.folder, { age: -1 })
    assert.deepEqual(old.orphans, [lost.body])
    // Between the search and the removal, a body may have become part of an object. The removal must skip such bodies.
    const { bodies: named } = (await on.store.head(on.vault, 'a'))!
    assert.equal(await removeOrphans(on.database, on.stores.folder, [...old.orphans, ...named]), 1)
    assert.equal(await on.text('a'), 'one')
    assert.lengthOf(await bodies(), 2)
  })

  test('a copy uses the same bytes on disk, and deleting one of the two objects does not affect the other', async ({
    assert,
  }) => {
    const { bodies: first } = await on.write('small', 'text')
    const upload = await on.store.beginUpload(on.vault, 'parts', PLAIN_TEXT_METADATA)
    const parts = [Buffer.alloc(5 * 1_024 ** 2, 'a'), Buffer.from('end')]
    const tags: { number: number; etag: string }[] = []
    for (const [at, part] of parts.entries()) {
      const received = await on.store.receive(on.vault, streamOf(part))
      const { etag } = await on.store.putPart(on.vault, upload.id, at + 1, received, {})
      tags.push({ number: at + 1, etag })
    }
    await on.store.completeUpload(on.vault, upload.id, tags)
    for (const name of ['small', 'parts']) {
      const from = (await on.store.head(on.vault, name))!
      // Sets an old modification time. The search for orphans must use the ctime instead.
      for (const path of await bodies()) await utimes(path, 0, 0)
      const facts = { ...PLAIN_TEXT_METADATA, type: 'image/png' }
      const made = await on.store.copy(from, on.vault, `${name} too`, facts, on.store.read(from))
      assert.containsSubset(made, { type: 'image/png', size: from.size, etag: from.etag })
      assert.notSameMembers(made.bodies, from.bodies)
      assert.equal(await on.text(`${name} too`), await on.text(name))
    }
    const inodes = new Set(
      await Promise.all((await bodies()).map(async (one) => (await stat(one)).ino))
    )
    assert.lengthOf(await bodies(), 6)
    assert.equal(inodes.size, 3)
    const size = 2 * (5 * 1_024 ** 2 + 3 + 4)
    assert.containsSubset(await on.vaultNow(), { bytes: size, objects: 4 })

    // A new hard link to which no row refers yet counts as new, because linking sets the ctime of the file.
    await on.stores.folder.link!(first, [await on.store.number()])
    assert.deepEqual((await findOrphans(on.database, 'folder', on.stores.folder)).orphans, [])
    const small = (await on.store.head(on.vault, 'small'))!
    const refused = on.store.copy(
      small,
      on.vault,
      'parts',
      PLAIN_TEXT_METADATA,
      on.store.read(small),
      { absent: true }
    )
    assert.equal(await refusal(refused), 'condition')
    assert.lengthOf(await bodies(), 7)

    await on.store.remove(on.vault, ['small', 'parts'])
    await sweepDoomedBodies(on.database, on.stores, { grace: -1 })
    assert.equal(await on.text('small too'), 'text')
    assert.equal((await on.text('parts too'))!.length, 5 * 1_024 ** 2 + 3)
    await on.write('small too', 'other')
    await sweepDoomedBodies(on.database, on.stores, { grace: -1 })
    assert.containsSubset(await on.vaultNow(), { bytes: 5 * 1_024 ** 2 + 3 + 5, objects: 2 })
  })

  test('copies the bytes if no more hard links are possible, or if the vault is being moved', async ({
    assert,
  }) => {
    const from = await on.write('a', 'text')
    const [path] = await bodies()
    try {
      for (let at = 0; at < 65_000; at++) await link(path, join(on.folder, `link-${at}`))
    } catch {
      // Now the file system allows no more links to this file.
    }
    const copy = await on.store.copy(from, on.vault, 'b', PLAIN_TEXT_METADATA, on.store.read(from))
    assert.equal(await on.text('b'), 'text')
    await on.database.rows(`update vault.vaults set store = 'bucket' where id = $1`, [on.vault.id])
    const moved = { ...on.vault, store: 'bucket' as const }
    assert.equal(
      (await on.store.copy(copy, moved, 'c', PLAIN_TEXT_METADATA, on.store.read(copy))).store,
      'bucket'
    )
    assert.equal(await on.text('c'), 'text')
  })

  test('copying an object that was deleted fails and creates nothing', async ({ assert }) => {
    const from = await on.write('a', 'text')
    for (const path of await bodies()) await rm(path)
    await assert.rejects(
      () => on.store.copy(from, on.vault, 'b', PLAIN_TEXT_METADATA, on.store.read(from)),
      /is missing/
    )
    assert.lengthOf(await bodies(), 0)
  })

  test('the scrub finds a changed bit and a missing file, and names the objects', async ({
    assert,
  }) => {
    for (const name of ['whole', 'flipped', 'missing']) await on.write(name, `text of ${name}`)
    const pathOf = async (name: string) => {
      const { bodies: numbers } = (await on.store.head(on.vault, name))!
      return (await bodies()).find((path) => path.endsWith(`/${numbers[0]}`))!
    }
    const flipped = await pathOf('flipped')
    const bytes = await readFile(flipped)
    bytes[3] ^= 1
    await writeFile(flipped, bytes)
    await on.stores.folder.remove((await on.store.head(on.vault, 'missing'))!.bodies)
    await on.database.rows('delete from vault.scrub')
    await scrub(on.database, on.stores, { rate: Infinity })
    const findings = async () =>
      on.database.rows('select name, kind from vault.findings where vault_id = $1 order by name', [
        on.vault.id,
      ])
    assert.deepEqual(await findings(), [
      { name: 'flipped', kind: 'damaged' },
      { name: 'missing', kind: 'missing' },
    ])
    await on.write('flipped', 'healed')
    assert.deepEqual(await findings(), [{ name: 'missing', kind: 'missing' }])
  })

  test('the scrub lists an object that the disk cannot read, checks the others, and removes the entry once it is readable', async ({
    assert,
  }) => {
    for (const name of ['bad', 'flipped', 'good']) await on.write(name, `text of ${name}`)
    const { bodies: bad } = (await on.store.head(on.vault, 'bad'))!
    const path = (await bodies()).find((one) => one.endsWith(`/${bad[0]}`))!
    const bytes = await readFile(path)
    await replaceByUnreadable(path)
    const { bodies: flipped } = (await on.store.head(on.vault, 'flipped'))!
    await writeFile(
      (await bodies()).find((one) => one.endsWith(`/${flipped[0]}`))!,
      'text of flippee'
    )
    const scrubAll = async () => {
      await on.database.rows('delete from vault.scrub')
      await scrub(on.database, on.stores, { rate: Infinity })
      return on.database.rows(
        'select name, kind from vault.findings where vault_id = $1 order by name',
        [on.vault.id]
      )
    }
    const damaged = { name: 'flipped', kind: 'damaged' }
    assert.deepEqual(await scrubAll(), [{ name: 'bad', kind: 'unreadable' }, damaged])
    await rm(path, { recursive: true })
    await writeFile(path, bytes)
    assert.deepEqual(await scrubAll(), [damaged])
  })

  test('if a whole backend fails, the scrub lists nothing and later resumes at the object that it could not read', async ({
    assert,
  }) => {
    for (const name of ['a', 'b', 'c']) await on.write(name, `text of ${name}`)
    const { bodies: broken } = (await on.store.head(on.vault, 'b'))!
    await replaceByUnreadable((await bodies()).find((one) => one.endsWith(`/${broken[0]}`))!)
    const { folder } = on.stores
    folder.check = async () => {
      throw vaultErrors.storeFailed()
    }
    await on.database.rows('delete from vault.scrub')
    await on.database.rows('insert into vault.scrub (started_at, vault_id) values (now(), $1)', [
      on.vault.id,
    ])
    await assert.rejects(() => scrub(on.database, on.stores, { rate: Infinity }), VaultError)
    const [{ name }] = await on.database.rows<{ name: string }>('select name from vault.scrub')
    assert.equal(name, 'a')
    assert.deepEqual(
      await on.database.rows('select from vault.findings where vault_id = $1', [on.vault.id]),
      []
    )
  })

  test('a reader of a truncated file gets an error, never a truncated object', async ({
    assert,
  }) => {
    await on.write('a', 'a text of some length')
    const [path] = await bodies()
    await writeFile(path, 'a text')
    await assert.rejects(() => on.text('a'), /is missing/)
    const object = (await on.store.head(on.vault, 'a'))!
    await assert.rejects(() => on.store.whole(object), /is missing/)
    await writeFile(path, 'a text of some length')
    assert.equal((await on.store.whole(object)).toString(), 'a text of some length')
  })

  test('a vault can be moved to another backend while it is read and written', async ({
    assert,
  }) => {
    for (let index = 0; index < 60; index++) await on.write(`n${index}`, `text ${index}`)
    await on.database.rows(`update vault.vaults set store = 'bucket' where id = $1`, [on.vault.id])
    on.generations.bumpVault(on.vault.id)
    let moving = true
    const reader = (async () => {
      for (let index = 0; moving; index = (index + 1) % 50) {
        assert.equal(await on.text(`n${index}`), `text ${index}`)
      }
    })()
    const moved = moveObjectsToVaultStore(on.database, on.generations, on.stores, () =>
      on.store.number()
    )
    const vault = (await on.store.vaultById(on.vault.id))!
    for (let index = 50; index < 60; index++) {
      await on.store.put(
        vault,
        `n${index}`,
        await on.store.receive(vault, streamOf('new')),
        PLAIN_TEXT_METADATA
      )
    }
    await moved
    await moveObjectsToVaultStore(on.database, on.generations, on.stores, () => on.store.number())
    moving = false
    await reader
    const left = await on.database.rows(
      `select from vault.objects where vault_id = $1 and store <> 'bucket'`,
      [vault.id]
    )
    assert.lengthOf(left, 0)
    for (let index = 50; index < 60; index++) assert.equal(await on.text(`n${index}`), 'new')
    await sweepDoomedBodies(on.database, on.stores, { grace: 0 })
    assert.deepEqual(await bodies(), [])
    assert.lengthOf(await files(join(on.folder, 'bucket')), 60)
  })

  test('a move stops in the middle of an object when the service stops, and leaves nothing behind', async ({
    assert,
  }) => {
    await on.write('a', 'x'.repeat(9_000_000))
    await on.database.rows(`update vault.vaults set store = 'bucket' where id = $1`, [on.vault.id])
    const stopping = new AbortController()
    const read = on.stores.folder.read.bind(on.stores.folder)
    on.stores.folder.read = (body, range) => {
      stopping.abort()
      return read(body, range)
    }
    await assert.rejects(
      () =>
        moveObjectsToVaultStore(on.database, on.generations, on.stores, () => on.store.number(), {
          signal: stopping.signal,
        }),
      /aborted/
    )
    assert.lengthOf(await bodies(), 1)
    assert.deepEqual(await files(join(on.folder, 'bucket')), [])
    assert.equal((await on.text('a'))!.length, 9_000_000)
  })

  test('the deletion of vaults, the sweep and the search for orphans stop when the service stops', async ({
    assert,
  }) => {
    const signal = AbortSignal.abort()
    await on.write('a', 'one')
    await on.write('a', 'two')
    await on.database.rows(`update vault.vaults set state = 'deleted' where id = $1`, [on.vault.id])
    await purgeDeletedVaults(on.database, signal)
    assert.equal(await on.text('a'), 'two')
    assert.equal(await sweepDoomedBodies(on.database, on.stores, { grace: 0, signal }), 0)
    assert.lengthOf(await bodies(), 2)
    const search = findOrphans(on.database, 'folder', on.stores.folder, { age: -1, signal })
    await assert.rejects(() => search, /aborted/)
  })

  test('moving a vault reports a damaged object and does not move it', async ({ assert }) => {
    await on.write('a', 'one')
    const [path] = await bodies()
    await writeFile(path, 'onf')
    await on.database.rows(`update vault.vaults set store = 'bucket' where id = $1`, [on.vault.id])
    assert.equal(
      await moveObjectsToVaultStore(on.database, on.generations, on.stores, () =>
        on.store.number()
      ),
      0
    )
    assert.isTrue((await stat(path)).isFile())
    assert.deepEqual(
      await on.database.rows('select kind from vault.findings where vault_id = $1', [on.vault.id]),
      [{ kind: 'damaged' }]
    )
  })

  test('a move lists and logs missing and unreadable objects, and moves all others', async ({
    assert,
  }) => {
    for (const name of ['bad', 'good', 'lost', 'well']) await on.write(name, `text of ${name}`)
    const pathOf = async (name: string) => {
      const { bodies: numbers } = (await on.store.head(on.vault, name))!
      return (await bodies()).find((path) => path.endsWith(`/${numbers[0]}`))!
    }
    const [bad, lost] = [await pathOf('bad'), await pathOf('lost')]
    await replaceByUnreadable(bad)
    await rm(lost)
    await on.database.rows(`update vault.vaults set store = 'bucket' where id = $1`, [on.vault.id])
    const logged: object[] = []
    const move = () =>
      moveObjectsToVaultStore(on.database, on.generations, on.stores, () => on.store.number(), {
        log: (entry) => void logged.push(entry),
      })
    assert.equal(await move(), 2)
    for (const name of ['good', 'well']) assert.equal(await on.text(name), `text of ${name}`)
    const findings = () =>
      on.database.rows('select name, kind from vault.findings where vault_id = $1 order by name', [
        on.vault.id,
      ])
    assert.deepEqual(await findings(), [
      { name: 'bad', kind: 'unreadable' },
      { name: 'lost', kind: 'missing' },
    ])
    assert.containsSubset(logged, [
      { msg: 'an object was not moved, because its content is unreadable', name: 'bad' },
      { msg: 'an object was not moved, because its content is missing', name: 'lost' },
    ])
    assert.lengthOf(await files(join(on.folder, 'bucket')), 2)

    await rm(bad, { recursive: true })
    for (const [path, name] of [
      [bad, 'bad'],
      [lost, 'lost'],
    ])
      await writeFile(path, `text of ${name}`)
    assert.equal(await move(), 0, 'damaged objects are not copied every minute')
    await on.database.rows(
      `update vault.findings set found_at = now() - interval '25 hours' where vault_id = $1`,
      [on.vault.id]
    )
    assert.equal(await move(), 2)
    for (const name of ['bad', 'lost']) assert.equal(await on.text(name), `text of ${name}`)
    assert.lengthOf(logged, 2)
  })

  test('a read-only vault rejects changes, from the moment at which it becomes read-only', async ({
    assert,
  }) => {
    await on.write('a', 'one')
    const stale = on.vault
    const received = await on.store.receive(stale, streamOf('two'))
    await on.database.rows(`update vault.vaults set state = 'read_only' where id = $1`, [stale.id])
    on.generations.bumpVault(stale.id)
    assert.equal(
      await refusal(on.store.put(stale, 'a', received, PLAIN_TEXT_METADATA)),
      'read_only'
    )
    const vault = (await on.store.vaultById(stale.id))!
    assert.equal(await refusal(on.store.receive(vault, streamOf('two'))), 'read_only')
    assert.equal(await refusal(on.store.remove(vault, ['a'])), 'read_only')
    assert.equal(await on.text('a'), 'one')
    await on.database.rows(
      `update vault.vaults set state = 'active', limit_reached = true where id = $1`,
      [stale.id]
    )
    on.generations.bumpVault(stale.id)
    const full = (await on.store.vaultById(stale.id))!
    assert.equal(await refusal(on.store.receive(full, streamOf('two'))), 'limit_reached')
    assert.deepEqual(await on.store.remove(full, ['a']), ['a'])
  })

  test('a deleted vault’s objects are deleted, and then its row', async ({ assert }) => {
    await on.write('a', 'one')
    const upload = await on.store.beginUpload(on.vault, 'big', PLAIN_TEXT_METADATA)
    await on.store.putPart(
      on.vault,
      upload.id,
      1,
      await on.store.receive(on.vault, streamOf('part')),
      {}
    )
    await on.database.rows(`update vault.vaults set state = 'deleted' where id = $1`, [on.vault.id])
    on.generations.bumpVault(on.vault.id)
    assert.isUndefined(await on.store.vaultById(on.vault.id))
    await purgeDeletedVaults(on.database)
    await sweepDoomedBodies(on.database, on.stores, { grace: 0 })
    assert.deepEqual(await bodies(), [])
    await purgeDeletedVaults(on.database)
    assert.deepEqual(
      await on.database.rows('select from vault.vaults where id = $1', [on.vault.id]),
      []
    )
  })
})

function reference(sorted: string[], prefix: string, delimiter?: string): string[] {
  const found = new Set<string>()
  for (const name of sorted.filter((one) => one.startsWith(prefix))) {
    const at = delimiter ? name.indexOf(delimiter, prefix.length) : -1
    found.add(at < 0 ? name : name.slice(0, at + 1))
  }
  return [...found]
}
