import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { test } from '@japa/runner'
import { createTransport } from 'nodemailer'
import { ServiceDatabase } from '#packages/service/database'
import { eventually } from '#tests/support/eventually'
import { startMailProcess, type MailProcess } from './mail_process.js'
import {
  messageBody,
  startTestMailService,
  createTestSender,
  callSendApi,
  type TestSender,
} from './test_service.js'

/** Returns a generator of numbers from 0 to 1 (mulberry32). The same seed gives the same numbers. */
function seeded(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

test.group('Mail service, faults', (group) => {
  let folder: string
  let database: ServiceDatabase
  group.each.timeout(900_000)
  group.each.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-mail-'))
    database = new ServiceDatabase('berth-mail-test', process.env.MAIL_DATABASE_URL!, 2)
    return async () => {
      await database.close()
      await rm(folder, { recursive: true, force: true })
    }
  })

  const generous = async (service: Pick<MailProcess, 'control'>) => {
    const sender = await createTestSender({ ...service, database })
    await service.control.call('changeSender', { id: sender.id, hourlyLimit: 1_000_000 })
    return sender
  }
  const kept = (sender: TestSender) =>
    database.rows<{ id: string; subject: string; raw: Buffer | null }>(
      `select m.id, m.subject, c.raw from mail.messages m left join mail.contents c on c.id = m.content_id
       where sender_id = $1`,
      [sender.id]
    )
  const counted = async (sender: TestSender) => {
    const row = await database.row<{ accepted: number }>(
      `select accepted from mail.usage where sender_id = $1 and day = (now() at time zone 'UTC')::date`,
      [sender.id]
    )
    return row?.accepted ?? 0
  }

  test('after kill -9 under load, each acknowledged message exists once, complete and counted', async ({
    assert,
    cleanup,
  }) => {
    const seed = Number(process.env.BERTH_SEED ?? 20_261_123)
    const random = seeded(seed)
    let service = await startMailProcess(folder)
    cleanup(() => service.kill())
    const sender = await generous(service)
    /**
     * `answered`: subjects of accepted messages, with the ID from the response. `cut`: subjects of requests with an
     * idempotency key that were interrupted.
     */
    const answered = new Map<string, string>()
    const cut = new Set<string>()
    for (let round = 0; round < 6; round++) {
      let alive = true
      const api = async (index: number) => {
        for (let at = 0; alive; at++) {
          const subject = `api ${round} ${index} ${at}`
          const key = { 'idempotency-key': subject }
          cut.add(subject)
          const said = await callSendApi(service, sender, messageBody(sender, { subject }), key)
          if (said.status !== 200) throw new Error(said.message)
          answered.set(subject, said.id)
          cut.delete(subject)
        }
      }
      const smtp = async (index: number) => {
        const { id, secret, email } = sender
        const transport = createTransport({
          host: '127.0.0.1',
          port: service.smtpPort,
          pool: true,
          maxConnections: 1,
          auth: { user: String(id), pass: secret },
          ignoreTLS: true,
        })
        try {
          for (let at = 0; alive; at++) {
            const subject = `smtp ${round} ${index} ${at}`
            const told = { from: email, to: 'ana@example.net', subject, text: 'body' }
            const { response } = (await transport.sendMail(told)) as { response: string }
            answered.set(subject, /as ([0-9a-f-]{36})/.exec(response)![1]!)
          }
        } finally {
          transport.close()
        }
      }
      const all = [0, 1, 2, 3, 4, 5].map((index) =>
        (index < 4 ? api(index) : smtp(index)).catch(() => {})
      )
      const before = answered.size
      while (answered.size < before + 10) await wait(20)
      await wait(random() * 900)
      await service.kill()
      alive = false
      await Promise.all(all)
      service = await startMailProcess(folder)
      const rows = await kept(sender)
      const bySubject = Map.groupBy(rows, ({ subject }) => subject)
      for (const [subject, id] of answered) {
        const found = bySubject.get(subject) ?? []
        assert.deepEqual(
          found.map((row) => row.id),
          [id],
          `${subject}, seed ${seed}`
        )
        assert.include(found[0]!.raw?.toString() ?? '', `Subject: ${subject}`)
      }
      for (const subject of cut) assert.isAtMost(bySubject.get(subject)?.length ?? 0, 1, subject)
      assert.equal(await counted(sender), rows.length)
      // Repeats the interrupted requests. The idempotency key must prevent a second message.
      for (const subject of cut) {
        const key = { 'idempotency-key': subject }
        const said = await callSendApi(service, sender, messageBody(sender, { subject }), key)
        assert.equal(said.status, 200)
        answered.set(subject, said.id)
      }
      cut.clear()
    }
    assert.isAbove(answered.size, 50)
  })

  test('after SIGTERM, running requests are still answered', async ({ assert, cleanup }) => {
    const service = await startMailProcess(folder)
    cleanup(() => service.kill())
    const sender = await generous(service)
    const sending = Array.from({ length: 20 }, (_, at) =>
      callSendApi(service, sender, messageBody(sender, { subject: `n ${at}` }))
    )
    await Promise.race(sending)
    const stopped = service.stop()
    const all = await Promise.allSettled(sending)
    const ids = all.flatMap((one) =>
      one.status === 'fulfilled' && one.value.status === 200 ? [one.value.id] : []
    )
    assert.equal(await stopped, 0)
    const there = new Set((await kept(sender)).map(({ id }) => id))
    for (const id of ids) assert.isTrue(there.has(id))
    assert.isAtLeast(ids.length, 1)
  })

  test('without the database, requests get 503 and 451, and succeed once it is back', async ({
    assert,
    cleanup,
  }) => {
    const real = new URL(process.env.MAIL_DATABASE_URL!)
    const open = new Set<Socket>()
    let isThere = true
    const way = createServer((near) => {
      if (!isThere) return void near.destroy()
      const far = connect(Number(real.port), real.hostname)
      for (const socket of [near, far]) {
        open.add(socket)
        socket.on('error', () => {}).once('close', () => open.delete(socket))
      }
      near.pipe(far).pipe(near)
    }).listen(0, '127.0.0.1')
    await once(way, 'listening')
    cleanup(() => void way.close())
    const through = new URL(real)
    through.port = String((way.address() as { port: number }).port)
    const service = await startTestMailService({ databaseUrl: through.href })
    cleanup(() => service.stop())
    const [sender, stranger] = [await generous(service), await generous(service)]
    const ids: string[] = []
    let running = true
    cleanup(() => void (running = false))
    const seen = new Set<number>()
    const load = Array.from({ length: 4 }, async () => {
      while (running) {
        const said = await callSendApi(service, sender, messageBody(sender))
        seen.add(said.status)
        if (said.status === 200) ids.push(said.id)
        else assert.isFalse(said.success)
      }
    })
    for (let round = 0; round < 3; round++) {
      await wait(300)
      isThere = false
      for (const socket of open) socket.destroy()
      seen.delete(503)
      await eventually(() => assert.isTrue(seen.has(503)))
      if (round === 0) {
        assert.equal((await fetch(`${service.url}/health`)).status, 503)
        // The service must ask the database about this sender, because it has not cached the sender's key.
        assert.equal((await callSendApi(service, stranger, messageBody(stranger))).status, 503)
        const transport = createTransport({
          host: '127.0.0.1',
          port: service.smtpPort,
          ignoreTLS: true,
          auth: { user: String(stranger.id), pass: stranger.secret },
        })
        const told = { from: stranger.email, to: 'a@example.net', text: 'body' }
        const error = await transport.sendMail(told).catch((failure: unknown) => failure)
        assert.equal((error as { responseCode: number }).responseCode, 454)
      }
      isThere = true
    }
    await wait(500)
    running = false
    await Promise.all(load)
    assert.sameMembers([...seen], [200, 503])
    const there = new Set((await kept(sender)).map(({ id }) => id))
    for (const id of ids) assert.isTrue(there.has(id))
    assert.equal((await callSendApi(service, sender, messageBody(sender))).status, 200)
  })
})
