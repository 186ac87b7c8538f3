import { listenOn } from '#core/live/listen_connection'
import env from '#start/env'
import { eventually } from '#tests/support/eventually'
import { freezingProxy } from '#tests/support/freezing_proxy'
import { overrideSettings } from '#tests/support/override_settings'
import { Secret } from '@adonisjs/core/helpers'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { setTimeout as sleep } from 'node:timers/promises'

const CHANNEL = 'berth_listen_test'
const timing = { connectTimeoutMs: 500, heartbeatMs: 100, queryTimeoutMs: 500 }

test.group('Connections that listen', (group) => {
  let proxy: Awaited<ReturnType<typeof freezingProxy>>
  let restore: () => void
  let losses: number
  let payloads: string[]

  group.each.setup(async () => {
    ;[losses, payloads] = [0, []]
    proxy = await freezingProxy(env.get('DATABASE_URL').release())
    restore = overrideSettings({ DATABASE_URL: new Secret(proxy.url) })
    return async () => {
      restore()
      await proxy.stop()
    }
  })

  const listen = () =>
    listenOn(
      CHANNEL,
      { received: (payload) => void payloads.push(payload), lost: () => void losses++ },
      timing
    )
  const notify = (text: string) => db.rawQuery('select pg_notify(?, ?)', [CHANNEL, text])

  test('stay open as long as PostgreSQL answers, and report one that stops', async ({ assert }) => {
    const connection = await listen()
    await sleep(1_500)
    await notify('first')
    await eventually(() => assert.deepEqual(payloads, ['first']))
    assert.equal(losses, 0)
    proxy.freeze()
    await eventually(() => assert.equal(losses, 1), 5_000)
    await connection.end()
    assert.equal(losses, 1)
  })

  test('report a broken connection once, and none that was ended', async ({ assert }) => {
    const ended = await listen()
    await ended.end()
    assert.equal(losses, 0)
    await listen()
    await proxy.stop()
    await eventually(() => assert.equal(losses, 1))
    proxy = await freezingProxy(env.get('DATABASE_URL').release())
  })

  test('fail soon if PostgreSQL accepts them and never answers', async ({ assert }) => {
    proxy.freeze()
    const began = performance.now()
    await assert.rejects(listen, /timeout/)
    assert.isBelow(performance.now() - began, 5_000)
    assert.equal(losses, 0)
  })
})
