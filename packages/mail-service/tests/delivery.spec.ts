import { test } from '@japa/runner'
import { eventually } from '#tests/support/eventually'
import {
  createDeliveryFixture,
  createTestResolver,
  type DeliveryFixture,
} from './delivery_fixture.js'
import { startSmtpSink, type SmtpSink } from './smtp_sink.js'
import type { OutgoingOptions } from '../outgoing_mail_types.js'

const MS_PER_MINUTE = 60_000

test.group('Mail delivery', (group) => {
  let its: DeliveryFixture
  let sink: SmtpSink
  const start = (options: Partial<OutgoingOptions> = {}) =>
    its.start({ port: sink.port, ...options })

  group.each.setup(async () => {
    its = await createDeliveryFixture()
    sink = await startSmtpSink()
    return async () => {
      await sink.stop()
      await its.end()
    }
  })

  test('delivers an accepted message and stores row, attempt, count and event', async ({
    assert,
  }) => {
    await start()
    const id = await its.put('ann@there.test')
    const row = await its.isFinal(id)
    assert.equal(row.state, 'delivered')
    assert.equal(row.attempts, 1)
    const [attempt] = await its.attempts(id)
    assert.equal(attempt!.outcome, 'delivered')
    assert.equal(attempt!.host, 'mx.there.test[127.0.0.1]')
    assert.equal(attempt!.code, 250)
    assert.isNull(attempt!.tls)
    assert.lengthOf(sink.letters, 1)
    assert.match(sink.letters[0]!.from, /^b-[0-9a-f]{48}@mail\.berth\.test$/)
    assert.match(sink.letters[0]!.raw, /^DKIM-Signature: /)
    assert.match(sink.letters[0]!.raw, /d=mail\.berth\.test/)
    const usage = await its.database.row('select * from mail.usage where sender_id = $1', [
      its.sender,
    ])
    assert.containsSubset(usage, { delivered: 1, bounced: 0 })
    const events = await its.database.rows('select type from mail.events where message_id = $1', [
      id,
    ])
    assert.deepEqual(events, [{ type: 'delivered' }])
  })

  test('a message to an unknown recipient bounces immediately, without retries, and the recipient is suppressed', async ({
    assert,
  }) => {
    sink.behave = (stage) => (stage === 'rcpt' ? '550 5.1.1 No such user' : undefined)
    const outgoing = await start()
    const id = await its.put('Nobody@there.test')
    const row = await its.isFinal(id)
    assert.containsSubset(row, { state: 'bounced', code: 550, enhanced: '5.1.1', attempts: 1 })
    assert.equal(await its.suppressed('nobody@there.test'), 'bounced')
    its.ahead = 48 * 60 * MS_PER_MINUTE
    outgoing.wake()
    const next = await its.isFinal(await its.put('nobody@there.test'))
    assert.equal(next.state, 'suppressed')
    assert.lengthOf(await its.attempts(next.id), 0)
    assert.lengthOf(await its.attempts(id), 1)
  })

  for (const [answer, at] of [
    ['550 5.7.1 Your address is on a list', 'rcpt'],
    ['552 5.2.2 Mailbox full', 'rcpt'],
    ['554 Content refused', 'data'],
    ['550 Sender unknown', 'mail'],
  ] as const) {
    test(`a rejection for another reason does not suppress the recipient: "${answer}"`, async ({
      assert,
    }) => {
      sink.behave = (stage) => (stage === at ? answer : undefined)
      await start()
      const id = await its.put('ann@there.test')
      assert.equal((await its.isFinal(id)).state, 'bounced')
      assert.isUndefined(await its.suppressed('ann@there.test'))
    })
  }

  test('retries a temporary rejection after 1, 5, 15 and 60 minutes, then hourly for 24 hours', async ({
    assert,
  }) => {
    sink.behave = (stage) => (stage === 'rcpt' ? '451 4.7.1 Greylisted' : undefined)
    const outgoing = await start()
    const id = await its.put('ann@there.test')
    const waits: number[] = []
    for (let tries = 1; ; tries++) {
      const row = await its.until(id, (each) => each.attempts === tries && each.state !== 'sending')
      if (row.state !== 'queued') break
      waits.push(Math.round((row.next_at.getTime() - its.now().getTime()) / MS_PER_MINUTE))
      its.ahead = row.next_at.getTime() - Date.now() + 1
      outgoing.wake()
    }
    const row = await its.message(id)
    assert.deepEqual(waits.slice(0, 6), [1, 5, 15, 60, 60, 60])
    assert.equal(row.state, 'expired')
    assert.lengthOf(waits, 26)
    assert.equal(row.reason, '451 4.7.1 Greylisted')
    const numbers = (await its.attempts(id)).map((each) => each.number)
    assert.deepEqual(
      numbers,
      numbers.map((_, at) => at + 1)
    )
    assert.isUndefined(await its.suppressed('ann@there.test'))
  })

  for (const stage of ['connect', 'mail', 'rcpt', 'data'] as const) {
    test(`after a connection breaks at ${stage}, delivery is retried and succeeds`, async ({
      assert,
    }) => {
      let cuts = 0
      sink.behave = (at) => (at === stage && cuts++ === 0 ? 'reset' : undefined)
      const outgoing = await start()
      const id = await its.put('ann@there.test')
      const row = await its.until(id, (each) => each.attempts === 1 && each.state === 'queued')
      its.ahead = row.next_at.getTime() - Date.now() + 1
      outgoing.wake()
      assert.equal((await its.isFinal(id)).state, 'delivered')
      assert.deepEqual(
        (await its.attempts(id)).map((each) => each.outcome),
        ['deferred', 'delivered']
      )
    })
  }

  test('destinations that hang, reject or do not exist do not delay other deliveries', async ({
    assert,
  }) => {
    const names = createTestResolver({
      mx: async (domain) => {
        if (domain === 'lost.test') throw Object.assign(new Error('x'), { code: 'ESERVFAIL' })
        return [{ exchange: `mx.${domain}`, priority: 1 }]
      },
    })
    sink.behave = (stage, address) => {
      if (stage !== 'rcpt') return undefined
      return address.endsWith('@closed.test')
        ? 'reset'
        : address.endsWith('@hangs.test')
          ? 'hang'
          : undefined
    }
    for (let each = 0; each < 60; each++) {
      for (const name of ['lost', 'closed', 'hangs']) await its.put(`p${each}@${name}.test`)
    }
    const free: string[] = []
    for (let each = 0; each < 20; each++) free.push(await its.put(`p${each}@free.test`))
    await start({ names })
    for (const id of free) assert.equal((await its.isFinal(id)).state, 'delivered')
    const rows = await its.database.rows<{ destination: string; tries: number }>(
      `select destination, sum(attempts)::int as tries from mail.messages group by 1 order by 1`
    )
    const tries = Object.fromEntries(rows.map((row) => [row.destination, row.tries]))
    assert.equal(tries['free.test'], 20)
    assert.isAtMost(tries['closed.test']!, 2)
    assert.isAtMost(tries['lost.test']!, 2)
    assert.equal(tries['hangs.test'], 0)
  })

  test('a failed DNS lookup does not count against the recipient', async ({ assert }) => {
    const names = createTestResolver({
      mx: async () => {
        throw Object.assign(new Error('no answer'), { code: 'ETIMEOUT' })
      },
    })
    await start({ names })
    const id = await its.put('ann@there.test')
    const row = await its.until(id, (each) => each.attempts === 1)
    assert.equal(row.state, 'queued')
    assert.equal((await its.attempts(id))[0]!.outcome, 'fault')
    assert.isUndefined(await its.suppressed('ann@there.test'))
  })

  test('a message to a domain with a null MX bounces immediately, and servers with private addresses are not contacted', async ({
    assert,
  }) => {
    const names = createTestResolver({
      mx: async (domain) => [
        { exchange: domain === 'null.test' ? '' : `mx.${domain}`, priority: 0 },
      ],
      addresses: async () => ['169.254.169.254', '10.0.0.1', '::ffff:127.0.0.1', 'fd00::1'],
    })
    await start({ names, allowPrivate: false })
    const nothing = await its.isFinal(await its.put('ann@null.test'))
    assert.containsSubset(nothing, { state: 'bounced', enhanced: '5.1.10' })
    const inside = await its.isFinal(await its.put('ann@inside.test'))
    assert.containsSubset(inside, { state: 'bounced', enhanced: '5.4.4' })
    assert.equal(sink.connections, 0)
    assert.isUndefined(await its.suppressed('ann@inside.test'))
  })

  test('tries the next server if the first is unreachable', async ({ assert }) => {
    const names = createTestResolver({
      mx: async () => [
        { exchange: 'second.test', priority: 20 },
        { exchange: 'first.test', priority: 10 },
      ],
      addresses: async (host) => [host === 'first.test' ? '127.0.0.9' : '127.0.0.1'],
    })
    await start({ names })
    const id = await its.put('ann@there.test')
    assert.equal((await its.isFinal(id)).state, 'delivered')
    assert.equal((await its.attempts(id))[0]!.host, 'second.test[127.0.0.1]')
  })

  test('messages of a paused sender wait, and those of a deleted sender are cancelled', async ({
    assert,
  }) => {
    const change = (state: string) =>
      its.database.rows('update mail.senders set state = $2 where id = $1', [its.sender, state])
    await change('paused')
    const outgoing = await start()
    const id = await its.put('ann@there.test')
    const later = await its.until(id, (row) => row.next_at > its.now() && row.state === 'queued')
    assert.equal(later.attempts, 0)
    its.ahead = 3 * 24 * 60 * MS_PER_MINUTE
    outgoing.wake()
    await its.until(id, (row) => row.next_at > its.now() && row.state === 'queued')
    await change('active')
    outgoing.wake()
    assert.equal((await its.isFinal(id)).state, 'delivered')
    await change('deleted')
    const gone = await its.put('ann@there.test')
    outgoing.wake()
    assert.equal((await its.isFinal(gone)).state, 'cancelled')
    assert.lengthOf(sink.letters, 1)
  })

  test('a secret message’s content is deleted once its state is final', async ({ assert }) => {
    await start()
    const id = await its.put('ann@there.test', { secret: true })
    const row = await its.isFinal(id)
    assert.equal(row.subject, '')
    await its.until(id, () => true)
    await eventually(async () => {
      const sql = 'select 1 from mail.contents where id = $1'
      assert.isEmpty(await its.database.rows(sql, [row.content_id]), 'The words are still there')
    })
  })

  test('a message whose delivery lease has expired is delivered', async ({ assert }) => {
    const id = await its.put('ann@there.test')
    await its.database.rows(
      `update mail.messages set state = 'sending', lease = gen_random_uuid(), next_at = now() - interval '1 second'`
    )
    await start()
    assert.equal((await its.isFinal(id)).state, 'delivered')
    assert.lengthOf(sink.letters, 1)
  })

  test('a rejection by our relay counts against the recipient, but the relay’s outage does not', async ({
    assert,
  }) => {
    sink.behave = (stage, address) =>
      stage === 'rcpt' && address.startsWith('nobody') ? '550 5.1.1 No' : undefined
    const relayUrl = `smtp://127.0.0.1:${sink.port}`
    const outgoing = await start({ relayUrl })
    assert.containsSubset(outgoing.ways(), { out: 'relay', problem: null })
    assert.equal((await its.isFinal(await its.put('ann@there.test'))).state, 'delivered')
    assert.equal((await its.isFinal(await its.put('nobody@there.test'))).state, 'bounced')
    await sink.stop()
    const id = await its.put('bob@there.test')
    outgoing.wake()
    await its.until(id, (row) => row.attempts === 1)
    assert.equal((await its.attempts(id))[0]!.outcome, 'fault')
    sink = await startSmtpSink()
  })
})
