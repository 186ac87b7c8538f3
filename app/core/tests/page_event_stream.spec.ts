import { audit } from '#core/audit/audit'
import type { ChangeMessage } from '#core/contracts/change_message'
import {
  accessTopic,
  currentEventCursor,
  publish,
  NOT_LISTENING_CURSOR,
} from '#core/live/live_events'
import Operation from '#core/models/operation'
import { publishProgress } from '#core/operations/operations'
import { eventually } from '#tests/support/eventually'
import { makeCustomer, makeStaff, signIn, type Visitor } from '#tests/support/people'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { randomUUID } from 'node:crypto'
import pg from 'pg'

class Tab {
  readonly told: ChangeMessage[] = []
  closed = false
  last = ''
  #leaving = new AbortController()

  static async open(visitor: Visitor, area: '' | '/admin' = '', since = ''): Promise<Tab> {
    const tab = new Tab()
    const query = since ? `?since=${encodeURIComponent(since)}` : ''
    const response = await fetch(`${visitor.base}${area}/changes${query}`, {
      headers: { accept: 'text/event-stream', cookie: visitor.cookie },
      signal: tab.#leaving.signal,
    })
    if (!response.ok) throw new Error(String(response.status))
    void tab.#read(response.body!.getReader())
    return tab
  }

  async #read(reader: ReadableStreamDefaultReader<Uint8Array>) {
    const decoder = new TextDecoder()
    let text = ''
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) break
        text += decoder.decode(value, { stream: true })
        const parts = text.split('\n\n')
        text = parts.pop()!
        for (const part of parts) {
          this.last = /^id: (.+)$/m.exec(part)?.[1] ?? this.last
          const data = /^data: (.+)$/m.exec(part)?.[1]
          if (data) this.told.push(JSON.parse(data) as ChangeMessage)
        }
      }
    } catch {
      // Reading fails when the test closes the stream.
    }
    this.closed = true
  }

  get topics() {
    return this.told.flatMap(({ changed }) => changed ?? ['anything'])
  }

  leave() {
    this.#leaving.abort()
  }
}

const until = (words: string, isSo: () => boolean | Promise<boolean>) =>
  eventually(async () => {
    if (!(await isSo())) throw new Error(`Not yet: ${words}`)
  })
const thing = () => `test:${randomUUID()}`

test.group('Event stream of a page', (group) => {
  const tabs: Tab[] = []
  group.each.teardown(() => {
    for (const tab of tabs.splice(0)) tab.leave()
  })
  const open = async (...args: Parameters<typeof Tab.open>) => {
    const tab = await Tab.open(...args)
    tabs.push(tab)
    return tab
  }
  const someone = async (person?: Awaited<ReturnType<typeof makeCustomer>>) => {
    const made = person ?? (await makeCustomer())
    return { person: made, visitor: await signIn(made) }
  }
  const hears = (tab: Tab, topic: string) =>
    until(`${topic} is told`, () => tab.topics.includes(topic))

  test('customers receive the events of their account, staff receive all', async ({ assert }) => {
    const [owner, other] = [await someone(), await someone()]
    const staff = await someone(await makeStaff('support'))
    const [own, others, desk] = [
      await open(owner.visitor),
      await open(other.visitor),
      await open(staff.visitor, '/admin'),
    ]
    const [theirs, nobodys, last] = [thing(), thing(), thing()]
    await publish(theirs, { owner: owner.person.id })
    await publish(nobodys)
    await publish(last, { owner: other.person.id })
    for (const topic of [theirs, nobodys, last]) await hears(desk, topic)
    await hears(own, theirs)
    await hears(others, last)
    assert.deepEqual(
      own.topics.filter((topic) => [nobodys, last].includes(topic)),
      []
    )
    assert.deepEqual(
      others.topics.filter((topic) => [theirs, nobodys].includes(topic)),
      []
    )
  })

  test('a person without an account receives no events', async ({ assert }) => {
    const { person, visitor } = await someone()
    await db.from('members').where('person_id', person.id).delete()
    const tab = await open(visitor)
    const [nobodys, theirs] = [thing(), thing()]
    const desk = await open((await someone(await makeStaff('support'))).visitor, '/admin')
    await publish(nobodys)
    await publish(theirs, { owner: person.id })
    await hears(desk, theirs)
    await publish(accessTopic(person.id))
    await until('it is closed', () => tab.closed)
    assert.deepEqual(tab.topics, [])
  })

  test('an audited change is published when its transaction commits', async ({ assert }) => {
    const { person, visitor } = await someone()
    const tab = await open(visitor)
    const id = randomUUID()
    await db.transaction(async (trx) => {
      const subject = { type: 'project' as const, id }
      await audit({ actor: null, accountId: person.id, action: 'x', subject }, trx)
      await publish('test:first', { owner: person.id })
      await hears(tab, 'test:first')
      assert.notInclude(tab.topics, `project:${id}`)
    })
    await hears(tab, `project:${id}`)
    await hears(tab, 'audit')
  })

  test('many events are sent in few messages, and too many as “anything may have changed”', async ({
    assert,
  }) => {
    const { person, visitor } = await someone()
    const tab = await open(visitor)
    const topics = Array.from({ length: 50 }, thing)
    // One transaction publishes all 50 at the same time. On a busy machine, separate calls could take longer than
    // the time for which the server collects events.
    await db.transaction(async (trx) => {
      for (const topic of topics) await publish(topic, { owner: person.id, trx })
    })
    await until('all are told', () => topics.every((topic) => tab.topics.includes(topic)))
    assert.isBelow(tab.told.length, 10)
    await db.transaction(async (trx) => {
      for (let index = 0; index < 300; index++) await publish(thing(), { owner: person.id, trx })
    })
    await hears(tab, 'anything')
  })

  test('the progress of an operation is sent only to those who may see it', async ({ assert }) => {
    const [{ person, visitor }, other] = [await someone(), await someone()]
    const [own, others] = [await open(visitor), await open(other.visitor)]
    const id = randomUUID()
    const subject = { subjectType: 'test', subjectId: id }
    const work = { id, kind: 'test.told', title: 'Told', queue: 'machine' as const, ...subject }
    const state = { input: {}, state: {}, steps: [], status: 'running' as const }
    const operation = await Operation.create({ ...work, ...state, accountId: person.id })
    await publishProgress(operation)
    await until('the state is told', () =>
      own.told.some(({ operations }) => operations.some((each) => each.title === 'Told'))
    )
    assert.deepEqual(
      others.told.flatMap(({ operations }) => operations),
      []
    )
    await operation.delete()
  })

  test('a reconnected page receives missed events once, or “anything may have changed”', async ({
    assert,
  }) => {
    const { person, visitor } = await someone()
    const first = await open(visitor)
    const [seen, missed] = [thing(), thing()]
    await publish(seen, { owner: person.id })
    await hears(first, seen)
    first.leave()
    await publish(missed, { owner: person.id })
    await until('it is known here', () => currentEventCursor() !== first.last)
    const again = await open(visitor, '', first.last)
    await hears(again, missed)
    assert.notInclude(again.topics, seen)
    for (const mark of [
      'nonsense',
      NOT_LISTENING_CURSOR,
      `${randomUUID()}:1`,
      first.last.replace(/\d+$/, '999999999'),
    ]) {
      await hears(await open(visitor, '', mark), 'anything')
    }
  })

  test('a lost connection to PostgreSQL is replaced by exactly one, even if the first attempt fails', async ({
    assert,
    cleanup,
  }) => {
    const { person, visitor } = await someone()
    const tab = await open(visitor)
    const listOwnConnections = async () => {
      const { rows } = await db.rawQuery<{ rows: { pid: number }[] }>(
        `select pid from pg_stat_activity where query = 'listen berth_live'`
      )
      return rows.map(({ pid }) => pid)
    }
    const before = await listOwnConnections()
    assert.isNotEmpty(before)
    const { connect } = pg.Client.prototype
    const restore = () => void (pg.Client.prototype.connect = connect)
    cleanup(restore)
    let failures = 0
    pg.Client.prototype.connect = () => {
      restore()
      failures++
      return Promise.reject(new Error('PostgreSQL is not ready'))
    }
    await db.rawQuery('select pg_terminate_backend(pid) from unnest(?::int[]) as pid', [before])
    await until('the first attempt failed', () => failures > 0)
    await open(visitor)
    await hears(tab, 'anything')
    const topic = thing()
    await publish(topic, { owner: person.id })
    await hears(tab, topic)
    assert.lengthOf(await listOwnConnections(), before.length)
  })

  test('the stream ends when the person’s sign-ins change, and a new stream requires a sign-in', async ({
    assert,
  }) => {
    const { person, visitor } = await someone()
    const tab = await open(visitor)
    await publish(accessTopic(person.id + 1_000_000))
    assert.isFalse(tab.closed)
    await visitor.post('/logout')
    await until('it is closed', () => tab.closed)
    assert.equal((await visitor.get('/changes')).status, 401)
  })

  test('a person can have at most 40 streams open', async ({ assert }) => {
    const { visitor } = await someone()
    const opened = await Promise.allSettled(Array.from({ length: 45 }, () => open(visitor)))
    assert.equal(opened.filter(({ status }) => status === 'fulfilled').length, 40)
    for (const tab of tabs.splice(0)) tab.leave()
    await until('there is room again', async () => {
      tabs.push(await Tab.open(visitor))
      return true
    })
  })
})
