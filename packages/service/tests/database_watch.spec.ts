import { ServiceDatabase } from '#packages/service/database'
import { isDatabaseUnavailable } from '#packages/service/database_watch'
import { eventually } from '#tests/support/eventually'
import { startFreezingProxy } from '#tests/support/freezing_proxy'
import { test } from '@japa/runner'

test.group('A PostgreSQL that does not answer', () => {
  test('all waiting statements fail within seconds, and PostgreSQL is used again once it answers', async ({
    assert,
    cleanup,
  }) => {
    const proxy = await startFreezingProxy(process.env.VAULT_DATABASE_URL!)
    const database = new ServiceDatabase('frozen', proxy.url, 3)
    cleanup(async () => {
      await proxy.stop()
      await database.close().catch(() => {})
    })
    // A slow statement may finish while PostgreSQL answers the probes.
    const slept = database.rows('select pg_sleep(6)')
    assert.deepEqual(await database.rows('select 1 as one'), [{ one: 1 }])
    await slept

    const inTransaction = Promise.withResolvers<void>()
    const go = Promise.withResolvers<void>()
    const transaction = database.transaction(async (client) => {
      await client.query('select 1')
      inTransaction.resolve()
      await go.promise
      await client.query('select 2')
    })
    transaction.catch(() => {})
    await inTransaction.promise
    proxy.freeze()
    const began = Date.now()
    go.resolve()
    const waiting = [transaction, ...[1, 2, 3, 4].map(() => database.rows('select 1'))]
    for (const result of await Promise.allSettled(waiting)) {
      assert.equal(result.status, 'rejected')
      if (result.status === 'rejected')
        assert.isTrue(isDatabaseUnavailable(result.reason), String(result.reason))
    }
    assert.isBelow(Date.now() - began, 60_000)
    const asked = Date.now()
    for (let count = 0; count < 10; count++) {
      await assert.rejects(() => database.rows('select 1'), /does not answer/)
    }
    // Shorter than if each statement had to wait three seconds to detect the outage.
    assert.isBelow(Date.now() - asked, 15_000)

    proxy.thaw()
    await eventually(() => database.rows('select 1'))
    assert.deepEqual(
      await database.transaction(async (client) => (await client.query('select 3 as three')).rows),
      [{ three: 3 }]
    )
  })

  test('an error about an invalid statement does not count as an outage', async ({ assert }) => {
    const database = new ServiceDatabase('wrong', process.env.VAULT_DATABASE_URL!, 1)
    const error = await database.rows('select nothing').catch((found: unknown) => found)
    assert.isFalse(isDatabaseUnavailable(error))
    await database.close()
  })
})
