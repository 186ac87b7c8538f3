import { test } from '@japa/runner'
import { ObjectCache } from '../http/object_cache.js'
import { ChangeCounters } from '../store/change_counters.js'
import type { ObjectStore, StoredObject, Vault } from '../types.js'

const vault = { id: 1, key: 'v', cors: [] } as unknown as Vault

/** Creates a source of objects that records the requested names. The name of an object is its length as a number. */
function counting() {
  const asked: string[] = []
  let gate: Promise<void> = Promise.resolve()
  const store: Pick<ObjectStore, 'head' | 'whole' | 'vaultById'> = {
    vaultById: async () => vault,
    async head(_, name) {
      asked.push(name)
      await gate
      const size = Number(name)
      return {
        size,
        name,
        etag: name,
        type: 'x/y',
        headers: {},
        modifiedAt: new Date(),
      } as StoredObject
    },
    whole: async ({ size }) => Buffer.alloc(size, 7),
  }
  return { asked, store, hold: (until: Promise<void>) => (gate = until) }
}

test.group('Object cache', () => {
  test('stays within its size limit and keeps the recently used objects', async ({ assert }) => {
    const { asked, store } = counting()
    const hot = new ObjectCache(store, new ChangeCounters(), 700_000)
    for (let size = 90_000; size < 90_050; size++) {
      await hot.load(vault, String(size))
      await hot.load(vault, String(size))
      if (size > 90_000) assert.isDefined(hot.get('v', '90000'))
      assert.isAtMost(hot.bytes, 700_000)
    }
    assert.isUndefined(hot.get('v', '90010'))
    assert.isDefined(hot.get('v', '90049'))
    const before = asked.length
    assert.equal(hot.get('v', '90000')!.body!.length, 90_000)
    assert.lengthOf(asked, before)
  })

  test('keeps only the metadata of large objects, not their bytes', async ({ assert }) => {
    const { store } = counting()
    const hot = new ObjectCache(store, new ChangeCounters())
    await hot.load(vault, '1048577')
    const found = hot.get('v', '1048577')!
    assert.isUndefined(found.body)
    assert.isBelow(hot.bytes, 10_000)
  })

  test('concurrent requests share one read, but no request gets an object from before a confirmed change', async ({
    assert,
  }) => {
    for (const change of ['name', 'vault'] as const) {
      const { asked, store, hold } = counting()
      const generations = new ChangeCounters()
      const hot = new ObjectCache(store, generations)
      const { promise, resolve } = Promise.withResolvers<void>()
      hold(promise)
      const first = [hot.load(vault, '5'), hot.load(vault, '5')]
      await new Promise((done) => setImmediate(done))
      assert.lengthOf(asked, 1)
      if (change === 'name') generations.bump(1, '5')
      else generations.bumpVault(1)
      const later = [hot.load(vault, '5'), hot.load(vault, '5')]
      await new Promise((done) => setImmediate(done))
      assert.lengthOf(asked, 2)
      resolve()
      const [a, b, c, d] = await Promise.all([...first, ...later])
      assert.strictEqual(a, b)
      assert.strictEqual(c, d)
      assert.notStrictEqual(a, c)
      assert.strictEqual(hot.get('v', '5'), c)
    }
  })

  test('a change of an object or its vault invalidates the cached object', async ({ assert }) => {
    const { store } = counting()
    const generations = new ChangeCounters()
    const hot = new ObjectCache(store, generations)
    for (const change of [() => generations.bump(1, '5'), () => generations.bumpVault(1)]) {
      await hot.load(vault, '5')
      assert.isDefined(hot.get('v', '5'))
      change()
      assert.isUndefined(hot.get('v', '5'))
      assert.equal(hot.bytes, 0)
    }
  })

  test('retries after a failed read', async ({ assert }) => {
    const { store } = counting()
    let isBroken = true
    const whole: typeof store.whole = async (object) => {
      if (isBroken) throw new Error('The disk failed')
      return store.whole(object)
    }
    const hot = new ObjectCache({ ...store, whole }, new ChangeCounters())
    await assert.rejects(() => hot.load(vault, '5'))
    isBroken = false
    assert.equal((await hot.load(vault, '5'))!.body!.length, 5)
  })
})
