import { LockSession, withLock } from '#core/locks'
import { test } from '@japa/runner'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

test.group('Exclusive locks', () => {
  test('let work under one name run one after another, and under two names at once', async ({
    assert,
  }) => {
    const [one, other] = [randomUUID(), randomUUID()]
    const log: string[] = []
    const run = (name: string, label: string) =>
      withLock(name, async () => {
        log.push(`${label} begins`)
        await sleep(100)
        log.push(`${label} ends`)
      })
    await Promise.all([run(one, 'first'), run(one, 'second'), run(other, 'third')])
    assert.isBelow(log.indexOf('first ends'), log.indexOf('second begins'))
    assert.isBelow(log.indexOf('third begins'), log.indexOf('first ends'))
  })

  test('are free again after work that failed, and wait for another process', async ({
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
})
