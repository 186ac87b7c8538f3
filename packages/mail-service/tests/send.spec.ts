import { networkInterfaces } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { Readable } from 'node:stream'
import { eventually } from '#tests/support/eventually'
import { test } from '@japa/runner'
import { simpleParser } from 'mailparser'
import { MemoryBudget } from '../http/memory_budget.js'
import { MAX_REJECTED_CALLS_PER_MINUTE } from '../limits.js'
import {
  messageBody,
  startTestMailService,
  createTestSender,
  callSendApi,
  type TestSender,
  type TestService,
} from './test_service.js'
import { startCpuTimer } from '#tests/support/cpu_timer'

const outside = Object.values(networkInterfaces())
  .flat()
  .find((one) => one && !one.internal && one.family === 'IPv4')

test.group('Send API', (group) => {
  let service: TestService
  let sender: TestSender
  group.setup(async () => {
    service = await startTestMailService()
    return () => service.stop()
  })
  group.each.setup(async () => {
    sender = await createTestSender(service)
  })

  const rawOf = async (id: string) => {
    const row = await service.database.row<{ raw: Buffer }>(
      'select raw from mail.contents c join mail.messages m on m.content_id = c.id where m.id = $1',
      [id]
    )
    return row!.raw
  }
  const rows = (id = sender.id) =>
    service.database.rows<{ id: string; state: string; recipient: string }>(
      'select * from mail.messages where sender_id = $1 order by id',
      [id]
    )
  const accepted = async (id = sender.id) => {
    const [day] = await service.database.rows<{ accepted: number }>(
      `select accepted from mail.usage where sender_id = $1 and day = (now() at time zone 'UTC')::date`,
      [id]
    )
    return day?.accepted ?? 0
  }

  test('a message is stored completely and counted before the response', async ({ assert }) => {
    const said = await callSendApi(service, sender, messageBody(sender, { tags: ['welcome'] }))
    assert.equal(said.status, 200, said.message)
    assert.isTrue(said.success)
    const details = await service.control.call('message', { senderId: sender.id, id: said.id })
    assert.equal(details.state, 'queued')
    assert.deepEqual(details.tags, ['welcome'])
    assert.equal(details.html?.trim(), '<p>Hello <b>Ana</b></p>')
    assert.equal(details.text?.trim(), 'Hello Ana')
    assert.equal(details.messageId, `<${said.id}@example.com>`)
    assert.deepEqual([details.senderName, details.recipientName], ['Shop', 'Ana'])
    assert.equal(await accepted(), 1)
  })

  test('a form and a multipart form create the same message as JSON', async ({ assert }) => {
    const plain = await fetch(`${service.url}/send-mail`, {
      method: 'POST',
      headers: sender.headers,
      body: new URLSearchParams({ ...messageBody(sender), 'tags[]': 'a' } as Record<
        string,
        string
      >),
    })
    assert.equal(plain.status, 200)
    const form = new FormData()
    for (const [name, value] of Object.entries(messageBody(sender))) form.set(name, String(value))
    const bytes = Buffer.from([0, 1, 2, 255, 13, 10])
    form.set('file', new Blob([bytes], { type: 'application/pdf' }), 'চালান.pdf')
    const answer = await fetch(`${service.url}/send-mail`, {
      method: 'POST',
      headers: sender.headers,
      body: form,
    })
    const { id } = (await answer.json()) as { id: string }
    const { attachments, subject } = await simpleParser(await rawOf(id))
    assert.equal(subject, 'Hello')
    assert.equal(attachments[0]!.filename, 'চালান.pdf')
    assert.isTrue(attachments[0]!.content.equals(bytes))
  })

  test('a message can have attachments, inline images, reply_to, headers and an unsubscribe link', async ({
    assert,
  }) => {
    const { id } = await callSendApi(
      service,
      sender,
      messageBody(sender, {
        subject: 'শুভেচ্ছা 🎉',
        sender_name: 'দোকান, "ঢাকা"',
        reply_to: 'help@example.com',
        mail_body: '<img src="cid:logo">',
        text_body: 'Own text',
        unsubscribe: true,
        headers: { 'X-Order': '17', 'In-Reply-To': '<a@b.example>' },
        attachments: [
          { filename: 'a.txt', content: Buffer.from('hi').toString('base64') },
          { filename: 'logo.png', content: 'AAAA', type: 'image/png', cid: 'logo' },
        ],
      })
    )
    const raw = await rawOf(id)
    const mail = await simpleParser(raw)
    assert.equal(mail.subject, 'শুভেচ্ছা 🎉')
    assert.equal(mail.from!.value[0]!.name, 'দোকান, "ঢাকা"')
    assert.equal(mail.replyTo!.text, 'help@example.com')
    assert.equal(mail.text?.trim(), 'Own text')
    assert.equal(mail.inReplyTo, '<a@b.example>')
    assert.equal(mail.headers.get('x-order'), '17')
    const head = raw.toString('latin1').split('\r\n\r\n')[0]!
    assert.match(head, /List-Unsubscribe-Post: List-Unsubscribe=One-Click/)
    assert.match(
      head.replace(/\r\n\s/g, ''),
      /List-Unsubscribe:\s*<https:\/\/mail\.example\.com\/u\//
    )
    assert.sameMembers(
      mail.attachments.map(({ filename, cid }) => `${filename} ${cid}`),
      ['a.txt undefined', 'logo.png logo']
    )
    assert.notMatch(raw.toString('latin1'), /[^\r]\n/)
  })

  test('adds a tracking image only if the sender’s owner enabled it', async ({ assert }) => {
    const without = await callSendApi(service, sender, messageBody(sender))
    await service.control.call('changeSender', { id: sender.id, trackOpens: true })
    const { id } = await callSendApi(service, sender, messageBody(sender))
    assert.notInclude((await rawOf(without.id)).toString(), 'mail.example.com/o/')
    const { html } = await simpleParser(await rawOf(id))
    assert.match(String(html), /<img src="https:\/\/mail\.example\.com\/o\/[0-9a-f]+"/)
  })

  test('rejects line breaks in header fields', async ({ assert }) => {
    for (const evil of ['a\r\nBcc: x@example.org', 'a\nX: 1', 'a\rb', 'a\0b', 'a\u2028b']) {
      for (const name of ['sender_name', 'recipient_name', 'subject']) {
        const said = await callSendApi(service, sender, messageBody(sender, { [name]: evil }))
        assert.equal(said.status, 422, `${name} ${JSON.stringify(evil)}`)
        assert.property(said.errors, name)
      }
      const more = [
        { headers: { 'X-A': evil } },
        { headers: { [`X-${evil}`]: 'a' } },
        { tags: [evil] },
        { reply_to: `${evil}@example.com` },
        { recipient_email: `b@example.com${evil}` },
        { attachments: [{ filename: evil, content: 'AAAA' }] },
        { attachments: [{ filename: 'a', content: 'AAAA', cid: evil }] },
        { attachments: [{ filename: 'a', content: 'AAAA', type: `text/plain${evil}` }] },
      ]
      for (const one of more) {
        const said = await callSendApi(service, sender, messageBody(sender, one))
        assert.equal(said.status, 422, JSON.stringify(one))
      }
    }
    assert.lengthOf(await rows(), 0)
  })

  test('rejects headers that set the sender or the delivery path', async ({ assert }) => {
    const names = ['From', 'To', 'Cc', 'Bcc', 'Sender', 'Return-Path', 'Received', 'DKIM-Signature']
    for (const name of [
      ...names,
      'Date',
      'Message-ID',
      'Subject',
      'Content-Type',
      'ARC-Seal',
      'X-a:b',
    ]) {
      const said = await callSendApi(
        service,
        sender,
        messageBody(sender, { headers: { [name]: 'x' } })
      )
      assert.equal(said.status, 422, name)
    }
  })

  const wrong: [string, object, string][] = [
    ['no recipient', { recipient_email: undefined }, 'recipient_email'],
    ['no address', { recipient_email: 'ana' }, 'recipient_email'],
    ['two addresses', { recipient_email: 'a@example.com, b@example.com' }, 'recipient_email'],
    ['a name around it', { recipient_email: 'Ana <a@example.com>' }, 'recipient_email'],
    ['an address literal', { recipient_email: 'a@[127.0.0.1]' }, 'recipient_email'],
    ['an IP address', { recipient_email: 'a@10.0.0.1' }, 'recipient_email'],
    ['SMTPUTF8', { recipient_email: 'আনা@example.com' }, 'recipient_email'],
    ['a quoted part', { recipient_email: '"a b"@example.com' }, 'recipient_email'],
    ['too long a part', { recipient_email: `${'a'.repeat(65)}@example.com` }, 'recipient_email'],
    ['another sender', { sender_email: 'other@example.com' }, 'sender_email'],
    ['no subject', { subject: undefined }, 'subject'],
    ['a subject that is too long', { subject: 'a'.repeat(501) }, 'subject'],
    ['no text', { mail_body: undefined }, 'mail_body'],
    ['a number as text', { mail_body: 5 }, 'mail_body'],
    ['NUL in the text', { mail_body: 'a\0' }, 'mail_body'],
    ['attachments that are none', { attachments: 'x' }, 'attachments'],
    [
      'content that is no base64',
      { attachments: [{ filename: 'a', content: '%' }] },
      'attachments.0',
    ],
    [
      'a line over 998 bytes in an attached message',
      {
        attachments: [
          {
            filename: 'a.eml',
            type: 'message/rfc822',
            content: Buffer.from(`Subject: x\r\n\r\n${'x'.repeat(999)}\r\n`).toString('base64'),
          },
        ],
      },
      'attachments',
    ],
    ['a time without a zone', { send_at: '2030-01-01T00:00:00' }, 'send_at'],
    ['a time too far away', { send_at: '2090-01-01T00:00:00Z' }, 'send_at'],
    ['too many tags', { tags: Array(11).fill('a') }, 'tags'],
    ['unsubscribe', { unsubscribe: 'perhaps' }, 'unsubscribe'],
  ]
  test('a validation error names its field: {0}')
    .with(wrong)
    .run(async ({ assert }, [, more, field]) => {
      const said = await callSendApi(service, sender, messageBody(sender, more))
      assert.equal(said.status, 422)
      assert.isFalse(said.success)
      assert.containsSubset(Object.keys(said.errors!), [field])
    })

  test('an internationalized domain is sent in ASCII', async ({ assert }) => {
    const said = await callSendApi(
      service,
      sender,
      messageBody(sender, { recipient_email: 'a@বাংলা.example' })
    )
    assert.equal(said.status, 200, said.message)
    assert.equal((await rows())[0]!.recipient, 'a@xn--54b7fta0cc.example')
  })

  test('returns 401 without a key, and with a wrong key, an expired key or another account’s key', async ({
    assert,
  }) => {
    const other = await createTestSender(service)
    const cases = [
      {},
      { ...sender.headers, 'x-secret-key': 'x' },
      { ...sender.headers, 'x-access-key-id': String(other.id) },
    ]
    for (const headers of cases) {
      assert.equal(
        (await callSendApi(service, { headers } as TestSender, messageBody(sender))).status,
        401
      )
    }
    const byAddress = { headers: { ...sender.headers, 'x-access-key-id': sender.email } }
    assert.equal((await callSendApi(service, byAddress, messageBody(sender))).status, 200)
    const { secret } = await service.control.call('rotateSecret', { id: sender.id, overlap: 3600 })
    assert.equal((await callSendApi(service, sender, messageBody(sender))).status, 200)
    const next = { headers: { ...sender.headers, 'x-secret-key': secret } }
    assert.equal((await callSendApi(service, next, messageBody(sender))).status, 200)
    // This change is made directly in the database, so the service's cache still treats the key as valid. The commit
    // checks the key again.
    await service.database.rows('update mail.keys set expires_at = now() where sender_id = $1', [
      sender.id,
    ])
    assert.equal((await callSendApi(service, next, messageBody(sender))).status, 401)
  })

  test('rate-limits an address that tries too many wrong keys', async ({ assert }) => {
    const from = (host: string) => ({ 'x-forwarded-for': `2001:db8:0:7${host}` })
    const bad = { headers: { ...sender.headers, 'x-secret-key': 'x' } }
    for (let tried = 0; tried < 20; tried++)
      await callSendApi(service, bad, messageBody(sender), from(`::${tried}`))
    const said = await callSendApi(service, sender, messageBody(sender), from(':0:0:0:ff'))
    assert.equal(said.status, 429)
    assert.isAbove(Number(said.headers.get('retry-after')), 0)
    assert.equal((await callSendApi(service, sender, messageBody(sender))).status, 200)
  })

  test('clients behind a proxy on another machine have separate rate limits', async ({
    assert,
    cleanup,
  }) => {
    const [proxied, direct] = [
      await startTestMailService({ host: '0.0.0.0', trustedProxies: outside!.address }),
      await startTestMailService({ host: '0.0.0.0' }),
    ]
    cleanup(() => Promise.all([proxied.stop(), direct.stop()]).then(() => {}))
    const bad = { headers: { ...sender.headers, 'x-secret-key': 'x' } }
    const statusOfNext = async ({ port }: TestService) => {
      const url = `http://${outside!.address}:${port}`
      const from = (host: number) => ({ 'x-forwarded-for': `192.0.2.${host}` })
      for (let tried = 0; tried < 20; tried++)
        await callSendApi({ url }, bad, messageBody(sender), from(1))
      assert.equal((await callSendApi({ url }, sender, messageBody(sender), from(1))).status, 429)
      return (await callSendApi({ url }, sender, messageBody(sender), from(2))).status
    }
    assert.equal(await statusOfNext(proxied), 200)
    // The header is ignored here, because only trusted proxies may set it.
    assert.equal(await statusOfNext(direct), 429)
  }).skip(!outside, 'this machine has no address but its own')

  test('a paused or suspended sender gets 403 with the reason', async ({ assert }) => {
    for (const [state, words] of [
      ['paused', /account/],
      ['suspended', /suspended/],
    ] as const) {
      await service.control.call('changeSender', { id: sender.id, state })
      const said = await callSendApi(service, sender, messageBody(sender))
      assert.equal(said.status, 403)
      assert.match(said.message, words)
    }
    assert.lengthOf(await rows(), 0)
  })

  test('rejects malformed bodies', async ({ assert }) => {
    const status = async (body: string, type: string) =>
      (await callSendApi(service, sender, body, { 'content-type': type })).status
    assert.equal(await status('{', 'application/json'), 400)
    assert.equal(await status('[]', 'application/json'), 400)
    assert.equal(await status('<a/>', 'text/xml'), 415)
    assert.equal(await status('x', 'multipart/form-data'), 400)
    assert.equal(await status('x', 'multipart/form-data; boundary=a'), 400)
    assert.equal((await fetch(`${service.url}/send-mail`)).status, 405)
    const lone = await callSendApi(
      service,
      sender,
      JSON.stringify(messageBody(sender, { subject: '\ud800' }))
    )
    assert.equal(lone.status, 200)
  })

  test('returns 413 if the announced, the received or the composed size is too large', async ({
    assert,
  }) => {
    const big = 'a'.repeat(21 * 1024 ** 2)
    assert.equal(
      (await callSendApi(service, sender, messageBody(sender, { text_body: big }))).status,
      413
    )
    // The body arrives in chunks without a content length. The service must reject it at the limit of one request,
    // before it exceeds the memory budget of all requests (503).
    const piece = Buffer.from('a'.repeat(1024 ** 2))
    // The service responds before the upload ends. A client that is still sending may miss the response, so the test
    // repeats the request.
    await eventually(async () => {
      const pieces = Readable.from(Array.from({ length: 120 }, () => piece))
      const unannounced = await fetch(`${service.url}/send-mail`, {
        method: 'POST',
        headers: { ...sender.headers, 'content-type': 'application/json' },
        body: Readable.toWeb(pieces),
        duplex: 'half',
      } as RequestInit)
      assert.equal(unannounced.status, 413)
    })
    const form = new FormData()
    for (const [name, value] of Object.entries(messageBody(sender))) form.set(name, String(value))
    form.set('file', new Blob([Buffer.alloc(20 * 1024 ** 2)]), 'a.bin')
    const answer = await fetch(`${service.url}/send-mail`, {
      method: 'POST',
      headers: sender.headers,
      body: form,
    })
    assert.equal(answer.status, 413)
    assert.lengthOf(await rows(), 0)
  })

  test('text over 1 MB, and too many values, levels, fields or elements, are rejected with a message', async ({
    assert,
  }) => {
    const refusal = async (body: object | string, type = 'application/json') => {
      const answer = await callSendApi(service, sender, body, { 'content-type': type })
      return `${answer.status} ${answer.message}`
    }
    const million = 1_000_000
    assert.match(
      await refusal(messageBody(sender, { mail_body: '<div>'.repeat(200_000) })),
      /^422 mail_body: The HTML has more than 256 levels of elements\. Send simpler HTML, or send the text as text_body\.$/
    )
    assert.match(
      await refusal({
        messages: [messageBody(sender), messageBody(sender, { mail_body: '<b>'.repeat(300) })],
      }),
      /^422 Message 1 of the batch: messages\.1\.mail_body: The HTML has more than/
    )
    assert.match(
      await refusal(`{"messages":[${'{},'.repeat(6 * million)}{}]}`),
      /^422 The JSON has/
    )
    assert.match(await refusal('['.repeat(million)), /^422 The JSON has more than 16 levels/)
    assert.match(
      await refusal('a=1&'.repeat(million), 'application/x-www-form-urlencoded'),
      /^422 The form has more than 1000 fields/
    )
    assert.match(
      await refusal(messageBody(sender, { text_body: 'a'.repeat(1.1 * million) })),
      /^413 .* 1 MB/
    )
    const attachments = [{ filename: 'a.bin', content: 'QUJD'.repeat(million) }]
    const parts = { mail_body: `<p>${'a '.repeat(400_000)}</p>`, attachments }
    assert.match(await refusal(messageBody(sender, parts)), /^200 /)
    const half = { text_body: 'a'.repeat(0.6 * million) }
    const both = { messages: [messageBody(sender, half), messageBody(sender, half)] }
    assert.match(await refusal(both), /^200 /)
    const [small, long] = [
      messageBody(sender),
      messageBody(sender, { text_body: 'a'.repeat(1.1 * million) }),
    ]
    assert.match(
      await refusal({ messages: [small, small, long] }),
      /^413 Message 2 of the batch can have at most 1 MB without its attachments\.$/
    )
    // Each message is below its limit, but all 41 together exceed the limit of a request.
    assert.match(
      await refusal({ messages: Array.from({ length: 41 }, () => messageBody(sender, half)) }),
      /^413 A call can have at most 20 MB as JSON .* Send fewer messages/
    )
    assert.match(
      await refusal({ messages: Array.from({ length: 101 }, () => small) }),
      /^422 messages: A batch must have 1 to 100 messages\.$/
    )
    assert.lengthOf(await rows(), 3)
  })

  test('a batch is rejected if its generated text would be too large, and other requests continue', async ({
    assert,
  }) => {
    const html = `${'<blockquote>'.repeat(250)}<pre>${'a\n'.repeat(2_400)}`
    const messages = Array.from({ length: 100 }, () => messageBody(sender, { mail_body: html }))
    const cpuMs = startCpuTimer()
    const said = await callSendApi(service, sender, { messages })
    assert.deepEqual([said.status, said.index], [422, 0])
    assert.match(said.errors!['messages.0.mail_body']![0]!, /too many lines in nested quotes/)
    assert.isBelow(cpuMs(), 15_000)
  })

  test('composed messages count towards the memory limit until the call ends', async ({
    assert,
    cleanup,
  }) => {
    const { open } = MemoryBudget.prototype
    const shares: number[][] = []
    cleanup(() => void (MemoryBudget.prototype.open = open))
    MemoryBudget.prototype.open = function (this: MemoryBudget) {
      const share = open.call(this)
      const taken: number[] = []
      shares.push(taken)
      const take = (bytes: number) => {
        taken.push(bytes)
        share.take(bytes)
      }
      return { take, close: share.close }
    }
    const said = await callSendApi(service, sender, messageBody(sender))
    const raw = await rawOf(said.id)
    assert.equal(shares[0]!.at(-1), raw.length)
  })

  test('a sender’s rejected calls are limited, and calls of other senders are still accepted', async ({
    assert,
  }) => {
    const other = await createTestSender(service)
    // Sends all requests at once, because the limit counts the calls of one minute.
    const rejected = Array.from({ length: MAX_REJECTED_CALLS_PER_MINUTE }, () =>
      callSendApi(service, sender, messageBody(sender, { subject: '' }))
    )
    for (const { status } of await Promise.all(rejected)) assert.equal(status, 422)
    const answer = await callSendApi(service, sender, messageBody(sender))
    assert.deepEqual([answer.status, answer.code], [429, 'too_many_refused'])
    assert.equal((await callSendApi(service, other, messageBody(other))).status, 200)
  })

  test('accepts a batch completely or not at all, and names the invalid message', async ({
    assert,
  }) => {
    const good = messageBody(sender)
    const bad = await callSendApi(service, sender, {
      messages: [good, good, { ...good, subject: 'a\nb' }],
    })
    assert.deepEqual([bad.status, bad.index], [422, 2])
    assert.deepEqual(Object.keys(bad.errors!), ['messages.2.subject'])
    assert.lengthOf(await rows(), 0)
    assert.equal((await callSendApi(service, sender, { messages: [] })).status, 422)
    assert.equal(
      (await callSendApi(service, sender, { messages: Array(101).fill(good) })).status,
      422
    )
    const said = await callSendApi(service, sender, { messages: Array(100).fill(good) })
    assert.lengthOf(said.ids!, 100)
    assert.equal(said.id, said.ids![0])
    assert.sameMembers(
      (await rows()).map(({ id }) => id),
      said.ids!
    )
    assert.equal(await accepted(), 100)
  })

  test('concurrent calls with one idempotency key create one message, and other content is rejected', async ({
    assert,
  }) => {
    const key = { 'idempotency-key': 'order-17' }
    const all = await Promise.all(
      Array.from({ length: 30 }, () => callSendApi(service, sender, messageBody(sender), key))
    )
    assert.deepEqual(new Set(all.map(({ status }) => status)), new Set([200]))
    assert.lengthOf([...new Set(all.map(({ id }) => id))], 1)
    assert.lengthOf(await rows(), 1)
    assert.equal(await accepted(), 1)
    const field = await callSendApi(
      service,
      sender,
      messageBody(sender, { idempotency_key: 'order-17' })
    )
    assert.equal(field.id, all[0]!.id)
    const other = await callSendApi(service, sender, messageBody(sender, { subject: 'Other' }), key)
    assert.equal(other.status, 409)
    const somebody = await createTestSender(service)
    assert.notEqual(
      (await callSendApi(service, somebody, messageBody(somebody), key)).id,
      all[0]!.id
    )
  })

  test('the hourly limit is exact under concurrent requests', async ({ assert }) => {
    await service.control.call('changeSender', { id: sender.id, hourlyLimit: 40 })
    const all = await Promise.all([
      ...Array.from({ length: 60 }, () => callSendApi(service, sender, messageBody(sender))),
      callSendApi(service, sender, { messages: Array(41).fill(messageBody(sender)) }),
    ])
    assert.equal(all.filter(({ status }) => status === 200).length, 40)
    const late = all.find(({ status }) => status === 429)!
    const wait = Number(late.headers.get('retry-after'))
    assert.isTrue(wait > 0 && wait <= 3600, String(wait))
    assert.lengthOf(await rows(), 40)
    assert.equal(await accepted(), 40)
    await service.database.rows(
      'update mail.usage set hour = (hour + 23) % 24 where sender_id = $1',
      [sender.id]
    )
    assert.equal((await callSendApi(service, sender, messageBody(sender))).status, 200)
  })

  test('a new sender may send 50 messages on the first day and 100 on the second', async ({
    assert,
  }) => {
    const fresh = await createTestSender(service, { isNew: true })
    const batch = (count: number) =>
      callSendApi(service, fresh, { messages: Array(count).fill(messageBody(fresh)) })
    assert.equal((await batch(51)).status, 429)
    assert.equal((await batch(50)).status, 200)
    const late = await callSendApi(service, fresh, messageBody(fresh))
    assert.deepEqual([late.status, late.code], [429, 'warm_up'])
    assert.isAbove(Number(late.headers.get('retry-after')), 0)
    await service.database.rows('update mail.usage set day = day - 1 where sender_id = $1', [
      fresh.id,
    ])
    assert.equal((await batch(100)).status, 200)
    assert.equal((await batch(1)).status, 429)
  })

  test('a suppressed recipient receives nothing, and the message is reported as suppressed and not counted', async ({
    assert,
  }) => {
    await service.control.call('suppress', {
      senderId: sender.id,
      recipient: 'ana@example.net',
      detail: '',
    })
    const { id, status } = await callSendApi(
      service,
      sender,
      messageBody(sender, { recipient_email: 'Ana@Example.net' })
    )
    assert.equal(status, 200)
    const [row] = await rows()
    assert.deepEqual([row!.id, row!.state], [id, 'suppressed'])
    assert.equal(await accepted(), 0)
  })

  test('a long list of suppressed recipients is searched by index', async ({ assert }) => {
    await service.database.rows(
      `insert into mail.suppressions (sender_id, recipient, reason)
       select $1, 'r' || n || '@example.net', 'bounced' from generate_series(1, 20000) n`,
      [sender.id]
    )
    const looked = async () =>
      (await service.database.row<{ whole: number; one: number }>(
        `select seq_tup_read as whole, idx_scan as one from pg_stat_user_tables
         where schemaname = 'mail' and relname = 'suppressions'`
      ))!
    const before = await looked()
    let after = before
    for (let tried = 0; tried < 200 && after.one + after.whole < before.one + 50; tried++) {
      const said = await callSendApi(service, sender, {
        messages: Array(5).fill(messageBody(sender)),
      })
      assert.equal(said.status, 200, said.message)
      await wait(50)
      after = await looked()
    }
    assert.equal(after.whole, before.whole)
    assert.isAtLeast(after.one, before.one + 50)
  })

  test('a scheduled message waits and can be cancelled once', async ({ assert }) => {
    const due = new Date(Date.now() + 3_600_000).toISOString()
    const { id } = await callSendApi(service, sender, messageBody(sender, { send_at: due }))
    const details = await service.control.call('message', { senderId: sender.id, id })
    assert.deepEqual([details.state, details.nextAt], ['scheduled', due])
    const [info] = await service.control.call('senders', { ids: [sender.id] })
    assert.deepEqual([info!.waiting, info!.scheduled, info!.month.accepted >= 1], [1, 1, true])
    const call = { senderId: sender.id, id }
    assert.isTrue((await service.control.call('cancelMessage', call)).cancelled)
    assert.isFalse((await service.control.call('cancelMessage', call)).cancelled)
    assert.isFalse((await service.control.call('retryMessage', call)).retried)
  })

  test('a message that the database rejects does not make other messages fail', async ({
    assert,
  }) => {
    const { SubmissionWriter } = await import('../accept/submission_writer.js')
    const { newId } = await import('../ids.js')
    const commits = new SubmissionWriter(service.database, () => {})
    const of = (subject: string) => {
      const [id, content] = [newId(), newId()]
      const about = { recipient: 'a@example.com', destination: 'example.com', subject }
      const contents = [{ id: content, raw: Buffer.from('x') }]
      return { sender: 0, key: null, contents, messages: [{ id, content, ...about }] }
    }
    const all = [of('first'), of('fine'), of('not \0 fine'), of('fine as well')]
    const outcomes = await Promise.allSettled(all.map((one) => commits.accept(one)))
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'rejected', 'fulfilled']
    )
  })
})
