import { test } from '@japa/runner'
import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { VaultError } from '../errors.js'
import { MAX_ROW_BODY_BYTES } from '../store/row_body_storage.js'
import { moveObjectsToVaultStore } from '../upkeep/move_objects.js'
import { scrub } from '../upkeep/scrub.js'
import { findOrphans, removeOrphans, sweepDoomedBodies } from '../upkeep/sweep.js'
import {
  createStoreFixture,
  streamOf,
  PLAIN_TEXT_METADATA,
  type StoreFixture,
} from './store_fixture.js'

test.group('Small bodies stored in the database', (group) => {
  let on: StoreFixture
  let since: number
  group.each.setup(async () => {
    on = await createStoreFixture({ rows: true })
    since = await on.store.number()
    return () => on.end()
  })

  const files = async () => {
    const found = await readdir(join(on.folder, 'bodies'), { recursive: true, withFileTypes: true })
    return found.filter((entry) => entry.isFile()).length
  }
  const rows = async () => {
    const found = await on.database.rows('select from vault.bodies where body > $1', [since])
    return found.length
  }
  const put = async (name: string, bytes: Buffer, condition?: { absent: true }) =>
    on.store.put(
      on.vault,
      name,
      await on.store.receive(on.vault, streamOf(bytes)),
      PLAIN_TEXT_METADATA,
      condition
    )
  const bytesOf = async (name: string, range?: { start: number; end: number }) => {
    const object = (await on.store.head(on.vault, name))!
    return Buffer.concat(
      await Array.fromAsync(on.store.read(object, range) as AsyncIterable<Buffer>)
    )
  }

  test('a body that fits on a database page is stored as a row, and a larger body as a file', async ({
    assert,
  }) => {
    for (const [size, isRow] of [
      [0, true],
      [1, true],
      [MAX_ROW_BODY_BYTES, true],
      [MAX_ROW_BODY_BYTES + 1, false],
    ] as const) {
      const [rowsBefore, filesBefore] = [await rows(), await files()]
      const bytes = randomBytes(size)
      const object = await put(`of-${size}`, bytes)
      assert.equal(object.store, isRow ? 'rows' : 'folder')
      assert.equal(object.size, size)
      assert.deepEqual(
        [await rows(), await files()],
        [rowsBefore + Number(isRow), filesBefore + Number(!isRow)]
      )
      assert.isTrue((await bytesOf(`of-${size}`)).equals(bytes))
      assert.isTrue((await on.store.whole(object)).equals(bytes))
      if (size < 10) continue
      const range = { start: 3, end: size - 4 }
      assert.isTrue((await bytesOf(`of-${size}`, range)).equals(bytes.subarray(3, size - 3)))
    }
    assert.equal((await on.vaultNow()).bytes, 1 + MAX_ROW_BODY_BYTES + MAX_ROW_BODY_BYTES + 1)
  })

  test('concurrent writes do not mix their bodies, and rejected ones leave nothing', async ({
    assert,
  }) => {
    await put('taken', Buffer.from('first'))
    const all = Array.from({ length: 300 }, (_, at) => ({
      name: at % 10 ? `n${at}` : 'taken',
      bytes: randomBytes((at * 37) % (MAX_ROW_BODY_BYTES + 500)),
    }))
    const outcomes = await Promise.allSettled(
      all.map(({ name, bytes }) => put(name, bytes, { absent: true }))
    )
    for (const [at, { name, bytes }] of all.entries()) {
      const { status } = outcomes[at]
      assert.equal(status, name === 'taken' ? 'rejected' : 'fulfilled', name)
      if (name !== 'taken') assert.isTrue((await bytesOf(name)).equals(bytes), name)
    }
    assert.equal((await bytesOf('taken')).toString(), 'first')
    const named = await on.database.rows(
      `select from vault.objects where vault_id = $1 and store = 'rows'`,
      [on.vault.id]
    )
    assert.equal(await rows(), named.length)
  })

  test('a body that is shorter or longer than announced leaves nothing', async ({ assert }) => {
    const sources = [
      on.store.receive(on.vault, streamOf('ab'), 3),
      on.store.receive(on.vault, streamOf('abcd'), 3),
      on.store.receive(
        on.vault,
        streamOf(randomBytes(MAX_ROW_BODY_BYTES), randomBytes(MAX_ROW_BODY_BYTES)),
        MAX_ROW_BODY_BYTES + 1
      ),
      on.store.receive(on.vault, streamOf(randomBytes(MAX_ROW_BODY_BYTES)), MAX_ROW_BODY_BYTES * 2),
    ]
    for (const outcome of await Promise.allSettled(sources)) {
      assert.equal(outcome.status, 'rejected')
      assert.instanceOf((outcome as PromiseRejectedResult).reason, VaultError)
    }
    assert.deepEqual([await rows(), await files()], [0, 0])
  })

  test('bodies of overwritten and deleted objects are removed after a delay', async ({
    assert,
  }) => {
    await put('a', Buffer.from('small'))
    const old = (await on.store.head(on.vault, 'a'))!
    await put('a', randomBytes(MAX_ROW_BODY_BYTES + 1))
    await put('b', Buffer.from('gone'))
    await on.store.remove(on.vault, ['b'])
    assert.equal((await on.store.whole(old)).toString(), 'small')
    assert.equal(await sweepDoomedBodies(on.database, on.stores), 0)
    assert.equal(await sweepDoomedBodies(on.database, on.stores, { grace: 0 }), 2)
    assert.deepEqual([await rows(), await files()], [0, 1])
  })

  test('a short last part is stored in the same place as the other parts', async ({ assert }) => {
    const parts = [randomBytes(5 * 1_024 ** 2), Buffer.from('the end')]
    const { id } = await on.store.beginUpload(on.vault, 'parts', PLAIN_TEXT_METADATA)
    const named = []
    for (const [at, part] of parts.entries()) {
      const received = await on.store.receive(on.vault, streamOf(part))
      const { number, etag } = await on.store.putPart(on.vault, id, at + 1, received, {})
      named.push({ number, etag })
    }
    const { store } = await on.store.completeUpload(on.vault, id, named)
    assert.equal(store, 'folder')
    assert.isTrue((await bytesOf('parts')).equals(Buffer.concat(parts)))
    assert.deepEqual([await rows(), await files()], [0, 2])
  })

  test('the scrub reports damaged and missing bodies', async ({ assert }) => {
    for (const name of ['well', 'flipped', 'missing']) await put(name, Buffer.from(name))
    const bodyOf = async (name: string) => (await on.store.head(on.vault, name))!.bodies[0]
    await on.database.rows(`update vault.bodies set bytes = 'flippet' where body = $1`, [
      await bodyOf('flipped'),
    ])
    await on.stores.rows!.remove([await bodyOf('missing')])
    await on.database.rows('delete from vault.scrub')
    await scrub(on.database, on.stores, { rate: Infinity })
    const found = await on.database.rows(
      'select name, kind from vault.findings where vault_id = $1 order by name',
      [on.vault.id]
    )
    assert.deepEqual(found, [
      { name: 'flipped', kind: 'damaged' },
      { name: 'missing', kind: 'missing' },
    ])
  })

  test('moving a vault to another backend leaves small bodies in the database', async ({
    assert,
  }) => {
    await put('small', Buffer.from('small'))
    await put('large', randomBytes(MAX_ROW_BODY_BYTES + 1))
    await on.database.rows(`update vault.vaults set store = 'bucket' where id = $1`, [on.vault.id])
    const move = () =>
      moveObjectsToVaultStore(on.database, on.generations, on.stores, () => on.store.number())
    assert.equal(await move(), 1)
    assert.equal(await move(), 0)
    const { store } = (await on.store.head(on.vault, 'small'))!
    assert.equal(store, 'rows')
    assert.equal((await bytesOf('small')).toString(), 'small')
  })

  test('rows that no object refers to are found and removed once they are old', async ({
    assert,
  }) => {
    await put('named', Buffer.from('named'))
    const lost = await on.store.number()
    await on.stores.rows!.write(lost, streamOf('lost'))
    const young = await findOrphans(on.database, 'rows', on.stores.rows!)
    assert.isEmpty(young.orphans)
    const { orphans } = await findOrphans(on.database, 'rows', on.stores.rows!, { age: -1_000 })
    assert.include(orphans, lost)
    await removeOrphans(on.database, on.stores.rows!, [lost, ...orphans])
    assert.equal(await rows(), 1)
  })
})
