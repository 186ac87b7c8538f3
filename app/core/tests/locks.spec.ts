import {
  DATABASE_SILENT_CODE,
  LockSession,
  LockUnavailableError,
  waitForLock,
  withLock,
} from '#core/locks'
import env from '#start/env'
import { breakLock } from '#tests/support/break_lock'
import { eventually } from '#tests/support/eventually'
import { startFreezingProxy } from '#tests/support/freezing_proxy'
import { overrideSettings } from '#tests/support/override_settings'
import { Secret } from '@adonisjs/core/helpers'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

test.group('Exclusive locks', () => {
  test('work with the same lock runs one after another, and with different locks at the same time', async ({
    assert,
  }) => {
    const [one, other] = [randomUUID(), randomUUID()]
    const log: string[] = []
    const run = (name: string, label: string) =>
      withLock(name, async () => {
        log.push(`${label} begins`)
        // Waits for the third work, which may begin late on a busy machine.
        await eventually(() => assert.include(log, 'third begins'))
        await sleep(100)
        log.push(`${label} ends`)
      })
    await Promise.all([run(one, 'first'), run(one, 'second'), run(other, 'third')])
    assert.isBelow(log.indexOf('first ends'), log.indexOf('second begins'))
    assert.isBelow(log.indexOf('third begins'), log.indexOf('first ends'))
  })

  test('a lock is released after an error, and another process waits for it', async ({
    assert,
    cleanup,
  }) => {
    const name = randomUUID()
    await assert.rejects(() =>
      withLock(name, async () => {
        throw new Error('It failed')
      })
    )
    const otherProcess = new LockSession()
    cleanup(() => otherProcess.end())
    let held = await otherProcess.tryHold(name)
    while (!held) held = await sleep(20).then(() => otherProcess.tryHold(name))
    let hasRun = false
    const work = withLock(name, async () => void (hasRun = true))
    await sleep(200)
    assert.isFalse(hasRun)
    await held.release()
    await work
    assert.isTrue(hasRun)
  })

  test('a lock that is lost during the work is reported, and the work cannot be saved', async ({
    assert,
  }) => {
    const name = randomUUID()
    const save = withLock(name, async (lock) => {
      await db.transaction((trx) => lock.assertHeld(trx))
      await breakLock(name)
      await db.transaction((trx) => lock.assertHeld(trx))
    })
    const error = await save.catch((thrown: unknown) => thrown)
    assert.instanceOf(error, LockUnavailableError)
    assert.include((error as Error).message, 'Check whether the change was made')
    const work = withLock(name, async ({ lost }) => {
      await breakLock(name)
      while (!lost.aborted) await sleep(10)
    })
    await assert.rejects(() => work, /lost the connection/)
    assert.equal(await withLock(name, async () => 'free again'), 'free again')
  })

  test('a held lock and an unresponsive PostgreSQL give different errors within seconds', async ({
    assert,
    cleanup,
  }) => {
    const proxy = await startFreezingProxy(env.get('DATABASE_URL').release())
    const session = new LockSession({ queryTimeoutMs: 3_000 })
    const holder = new LockSession()
    cleanup(async () => {
      await Promise.all([holder.end(), session.end()])
      await proxy.stop()
    })
    const [mine, theirs] = [randomUUID(), randomUUID()]
    await holder.tryHold(theirs)
    const restore = overrideSettings({ DATABASE_URL: new Secret(proxy.url) })
    const held = await session.tryHold(mine)
    const stopping = new LockSession()
    await stopping.tryHold(randomUUID())
    restore()
    assert.isNull(await waitForLock(() => session.tryHold(theirs), 200))
    await db.transaction((trx) => held!.assertHeld(trx))
    proxy.freeze()
    // The lock is lost, and PostgreSQL knows that before this process does.
    await breakLock(mine)
    await assert.rejects(
      () => db.transaction((trx) => held!.assertHeld(trx)),
      /lost the connection/
    )
    assert.isFalse(held!.lost.aborted)
    const error = await waitForLock(() => session.tryHold(theirs), Infinity).catch(
      (thrown: unknown) => thrown
    )
    assert.instanceOf(error, LockUnavailableError)
    assert.equal((error as LockUnavailableError).code, DATABASE_SILENT_CODE)
    assert.include((error as Error).message, 'does not answer')
    assert.isTrue(held!.lost.aborted)
    await stopping.end()
    // The next attempt opens a new connection.
    assert.isNull(await session.tryHold(theirs))
  })

  test('a hanging process loses its locks after a while, and an idle one keeps them', async ({
    assert,
    cleanup,
  }) => {
    const hanging = new LockSession({ idleTimeoutMs: 4_000, heartbeatMs: 60_000 })
    const idle = new LockSession({ idleTimeoutMs: 4_000, heartbeatMs: 50 })
    const other = new LockSession()
    const all = [hanging, idle, other]
    cleanup(async () => void (await Promise.all(all.map((one) => one.end()))))
    const [theirs, mine] = [randomUUID(), randomUUID()]
    const lost = await hanging.tryHold(theirs)
    const held = await idle.tryHold(mine)
    assert.isNull(await other.tryHold(theirs))
    assert.isNotNull(await waitForLock(() => other.tryHold(theirs), 60_000))
    assert.isNull(await waitForLock(() => other.tryHold(mine), 6_000))
    assert.deepEqual([lost!.lost.aborted, held!.lost.aborted], [true, false])
  })
})
