import { publish, subscribe } from '#core/live/live_events'
import { LockSession } from '#core/locks'
import {
  allSchedules,
  defineSchedule,
  type LastRun,
  type Schedule,
  startSchedules,
} from '#core/schedules/schedules'
import { breakLock } from '#tests/support/break_lock'
import { eventually } from '#tests/support/eventually'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { randomUUID } from 'node:crypto'
import pg from 'pg'

function schedule(run: Schedule['run'], every = 0.05): Schedule {
  return { name: `test.${randomUUID()}`, label: 'A test', every, run }
}

const lastRun = (name: string): Promise<LastRun | null> =>
  db.from('schedules').where({ name }).first()

test.group('Schedules', () => {
  test('two schedules cannot have the same name', ({ assert }) => {
    const [{ name }] = allSchedules()
    const twin = { name, label: 'Twin', every: 1, run: async () => {} }
    assert.throws(() => defineSchedule(twin), `Two schedules have the name ${name}`)
  })

  test('forty schedules run at the same time and leave database connections for pages', async ({
    assert,
    cleanup,
  }) => {
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    const running = new Set<number>()
    const many = Array.from({ length: 40 }, (_, index) =>
      schedule(async () => {
        running.add(index)
        await released
      })
    )
    const stop = startSchedules(many)
    cleanup(async () => {
      release()
      await stop()
    })
    await eventually(() => assert.equal(running.size, 40))
    const { rows } = await db.rawQuery('select 1 as answered')
    assert.deepEqual(rows, [{ answered: 1 }])
  })

  test('run on one worker until it stops, then on another', async ({ assert, cleanup }) => {
    const ran: string[] = []
    const of = (worker: string, like?: Schedule) => ({
      ...(like ?? schedule(async () => {})),
      run: async () => void ran.push(worker),
    })
    const mine = of('first')
    const first = startSchedules([mine])
    await eventually(() => assert.include(ran, 'first'))
    const second = startSchedules([of('second', mine)])
    cleanup(second)
    const seen = ran.length
    await eventually(() => assert.isAbove(ran.length, seen + 5))
    assert.notInclude(ran, 'second')
    await first()
    await eventually(() => assert.include(ran, 'second'))
  })

  test('run immediately when their topic is published, also during a run', async ({
    assert,
    cleanup,
  }) => {
    const wakeTopic = `test:${randomUUID()}`
    let hear = () => {}
    const heard = new Promise<void>((resolve) => (hear = resolve))
    cleanup(await subscribe(wakeTopic, () => hear()))
    let runs = 0
    const rare = schedule(async () => {
      runs++
      if (runs > 1) return
      await publish(wakeTopic)
      await heard
    }, 3_600)
    cleanup(startSchedules([Object.assign(rare, { wakeTopic })]))
    await eventually(() => assert.equal(runs, 2))
    await publish(wakeTopic)
    await eventually(() => assert.equal(runs, 3))
  })

  test('record the time, duration and error of their last run', async ({ assert, cleanup }) => {
    let trouble: string | null = 'the disk is full'
    const failing = schedule(async () => {
      if (trouble) throw new Error(trouble)
    })
    cleanup(startSchedules([failing]))
    await eventually(async () => {
      const last = await lastRun(failing.name)
      assert.equal(last?.error, 'the disk is full')
      assert.isAtLeast(last!.failures, 1)
    })
    trouble = null
    await eventually(async () => {
      const last = await lastRun(failing.name)
      assert.isNull(last!.error)
      assert.equal(last!.failures, 0)
      assert.isAtLeast(last!.took_ms!, 0)
      assert.isNotNull(last!.ended_at)
    })
  })
})

function watchClients() {
  const { query } = pg.Client.prototype
  const open = new Map<pg.Client, number>()
  let most = 0
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const answer: unknown = Reflect.apply(query, this, args)
    if (!(answer instanceof Promise)) return answer
    open.set(this, (open.get(this) ?? 0) + 1)
    most = Math.max(most, open.get(this)!)
    return answer.finally(() => open.set(this, open.get(this)! - 1))
  } as typeof query
  return { atOnce: () => most, leave: () => void (pg.Client.prototype.query = query) }
}

test.group('Locks', () => {
  test('all held locks share one database connection', async ({ assert, cleanup }) => {
    const session = new LockSession()
    const clients = watchClients()
    cleanup(async () => {
      clients.leave()
      await session.end()
    })
    const names = Array.from({ length: 100 }, () => randomUUID())
    const held = await Promise.all(names.map((name) => session.tryHold(name)))
    assert.isTrue(held.every((one) => one !== null))
    await Promise.all(held.slice(50).map((one) => one!.release()))
    await Promise.all(names.slice(50).map((name) => session.tryHold(name)))
    assert.equal(clients.atOnce(), 1, 'a client takes no second question meanwhile')
    const { rows } = await db.rawQuery(
      `select count(distinct pid)::int as connections from pg_locks where locktype = 'advisory'
       and ((classid::bigint << 32) | objid::bigint) = any
         (select hashtextextended(name, 0) from unnest(?::text[]) as name)`,
      [names]
    )
    assert.deepEqual(rows, [{ connections: 1 }])
  })

  test('a lock cannot be acquired twice, even by the session that holds it', async ({
    assert,
    cleanup,
  }) => {
    const [one, other] = [new LockSession(), new LockSession()]
    cleanup(async () => void (await Promise.all([one.end(), other.end()])))
    const name = randomUUID()
    const held = await one.tryHold(name)
    assert.isNull(await one.tryHold(name))
    assert.isNull(await other.tryHold(name))
    await held!.release()
    assert.isNotNull(await other.tryHold(name))
  })

  test('a lost lock is reported, and can be acquired again', async ({ assert, cleanup }) => {
    const session = new LockSession()
    cleanup(() => session.end())
    const name = randomUUID()
    const held = await session.tryHold(name)
    await breakLock(name)
    await eventually(() => assert.isTrue(held!.lost.aborted))
    await eventually(async () => assert.isNotNull(await session.tryHold(name)))
  })
})
