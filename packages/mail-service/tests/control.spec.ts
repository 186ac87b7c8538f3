import { test } from '@japa/runner'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { createServerCertificate } from '#packages/incus/self_signed_certificate'
import type { SystemMessage } from '../control/contract.js'
import { loadOrCreateCertificate } from '../tls.js'
import { startTestMailService, createTestSender, type TestService } from './test_service.js'

test.group('Control API of the mail service', (group) => {
  let service: TestService
  group.setup(async () => {
    service = await startTestMailService()
    return () => service.stop()
  })

  const own = (more: Partial<SystemMessage> = {}): SystemMessage => ({
    key: randomUUID(),
    from: 'Berth <berth@example.com>',
    to: 'Ana <ana@example.net>',
    subject: 'A code',
    text: 'It is 123456.',
    html: null,
    secret: false,
    ...more,
  })
  const sendOwn = (...messages: SystemMessage[]) => service.control.call('sendOwn', { messages })
  const rawOf = async (id: string) => {
    const row = await service.database.row<{ raw: Buffer; sender_id: number }>(
      'select c.raw, m.sender_id from mail.messages m join mail.contents c on c.id = m.content_id where m.id = $1',
      [id]
    )
    return { raw: row!.raw.toString(), sender: row!.sender_id }
  }

  test("Berth's own email has the given Message-ID and reply address", async ({ assert }) => {
    const messageId = `${randomUUID()}@example.com`
    const { ids } = await sendOwn(own({ messageId, replyTo: 'help@example.com' }), own())
    const told = await rawOf(ids[0]!)
    assert.equal(told.sender, 0)
    assert.include(told.raw, `Message-ID: <${messageId}>\r\n`)
    assert.include(told.raw, 'Reply-To: help@example.com\r\n')
    assert.notInclude(told.raw, 'List-Unsubscribe')
    const plain = await rawOf(ids[1]!)
    assert.include(plain.raw, `Message-ID: <${ids[1]}@example.com>\r\n`)
    assert.notInclude(plain.raw, 'Reply-To')
  })

  test('the same idempotency key with the same content returns the same email, and with other content an error', async ({
    assert,
  }) => {
    const first = own()
    const { ids } = await sendOwn(first)
    assert.deepEqual((await sendOwn(first)).ids, ids)
    await assert.rejects(() => sendOwn({ ...first, text: 'other' }), /another message/)
  })

  test('rejects line breaks in header fields', async ({ assert }) => {
    for (const wrong of [
      { messageId: 'a@b>\r\nBcc: x@y.test' },
      { messageId: 'a b@c' },
      { replyTo: 'a@b.test\r\nBcc: x@y.test' },
      { subject: 'a\r\nBcc: x@y.test' },
      { to: 'nobody' },
    ]) {
      await assert.rejects(() => sendOwn(own(wrong)))
    }
  })

  test('returns completed days in order, after the last day that the console knows', async ({
    assert,
  }) => {
    const senders = [await createTestSender(service), await createTestSender(service)]
    await service.database.rows(
      `insert into mail.usage (sender_id, account_id, day, accepted) values
       ($1, $1, (now() at time zone 'UTC')::date, 7), (0, 0, (now() at time zone 'UTC')::date - 1, 7)
       on conflict (sender_id, day) do update set accepted = excluded.accepted`,
      [senders[0]!.id]
    )
    const ours = new Set(senders.map(({ id }) => id))
    const found = []
    let after = { day: '2000-01-01', senderId: 0 }
    for (;;) {
      const days = await service.control.call('closedDays', { after })
      if (days.length === 0) break
      found.push(...days)
      after = days.at(-1)!
    }
    // Two senders with ten days each. The list contains neither today nor Berth's own sender (ID 0).
    assert.lengthOf(
      found.filter(({ senderId }) => ours.has(senderId)),
      20
    )
    assert.notInclude(
      found.map(({ senderId }) => senderId),
      0
    )
    const order = found.map(({ day, senderId }) => `${day} ${String(senderId).padStart(12, '0')}`)
    assert.deepEqual(order, order.toSorted())
  })

  test('reports whether email can be delivered, the submission ports and the queue', async ({
    assert,
    cleanup,
  }) => {
    const none = await service.control.call('ways', {})
    assert.equal(none.out, 'none')
    assert.match(none.problem!, /SMTP_URL/)
    assert.deepEqual(none.submission, { host: 'mail.example.com', port: service.smtpPort })
    const relayed = await startTestMailService({ relayUrl: 'smtp://127.0.0.1:9' })
    cleanup(() => relayed.stop())
    const { id } = await createTestSender(relayed)
    await relayed.database.rows(
      `insert into mail.messages (id, sender_id, account_id, state, recipient, destination, subject, next_at, expires_at)
       values ($1, $2, $2, 'scheduled', 'a@b.test', 'b.test', '', now() + interval '1 day', now() + interval '2 days')`,
      [randomUUID(), id]
    )
    const ways = await relayed.control.call('ways', {})
    assert.containsSubset(ways, { out: 'relay', problem: null, waiting: 1, oldestDue: 0 })
  })

  test('lists tables with size and retention, the largest first', async ({ assert }) => {
    await sendOwn(own({ text: 'a'.repeat(3 * 1024 ** 2) }))
    const tables = await service.control.call('tables', {})
    const sizes = await service.database.rows<{ name: string; bytes: number }>(
      `select tablename as name, pg_total_relation_size(('mail.' || tablename)::regclass) as bytes
       from pg_tables where schemaname = 'mail'`
    )
    assert.sameMembers(
      tables.map(({ name }) => name),
      sizes.map(({ name }) => name)
    )
    const { bytes, kept } = tables.find(({ name }) => name === 'contents')!
    assert.isAtLeast(bytes, 3 * 1024 ** 2)
    assert.equal(kept, '30 days after the mail is final')
    assert.isNull(tables.find(({ name }) => name === 'senders')!.kept)
    const order = tables.map((table) => table.bytes)
    assert.deepEqual(
      order,
      order.toSorted((one, other) => other - one)
    )
  })

  test('STARTTLS uses MAIL_TLS_CERT and MAIL_TLS_KEY, which must be set together', async ({
    assert,
    cleanup,
  }) => {
    const folder = await mkdtemp(join(tmpdir(), 'berth-mail-'))
    cleanup(() => rm(folder, { recursive: true, force: true }))
    const { cert, key } = createServerCertificate('mx.test')
    const [tlsCert, tlsKey] = [join(folder, 'cert'), join(folder, 'key')]
    await writeFile(tlsCert, cert)
    await writeFile(tlsKey, key)
    const told = await startTestMailService({ tlsCert, tlsKey })
    cleanup(() => told.stop())
    const line = new SMTPConnection({
      host: '127.0.0.1',
      port: told.smtpPort,
      requireTLS: true,
      tls: { ca: cert, servername: 'mx.test' },
    })
    const connected = Promise.withResolvers<void>()
    line.on('error', connected.reject)
    line.connect((error) => (error ? connected.reject(error) : connected.resolve()))
    await connected.promise
    line.quit()
    const alone = { folder, tlsCert } as Parameters<typeof loadOrCreateCertificate>[0]
    await assert.rejects(
      () => loadOrCreateCertificate(alone, () => {}),
      /MAIL_TLS_CERT and MAIL_TLS_KEY together/
    )
    const made = { folder, mailHost: 'mx.test' } as Parameters<typeof loadOrCreateCertificate>[0]
    const first = await loadOrCreateCertificate(made, () => {})
    assert.deepEqual(await loadOrCreateCertificate(made, () => {}), first)
  })
})
