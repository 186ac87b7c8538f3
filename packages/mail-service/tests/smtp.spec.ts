import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { test } from '@japa/runner'
import { createTransport, type SentMessageInfo } from 'nodemailer'
import { networkInterfaces } from 'node:os'
import { eventually } from '#tests/support/eventually'
import { createServerCertificate } from '#packages/incus/self_signed_certificate'
import { MAX_REJECTED_CALLS_PER_MINUTE } from '../limits.js'
import { SenderAuthenticator } from '../sender_authenticator.js'
import { startSmtpSubmissionServer } from '../smtp/server.js'
import {
  startTestMailService,
  createTestSender,
  type TestSender,
  type TestService,
} from './test_service.js'

/** Opens an SMTP session over a plain socket, to test client behaviour that nodemailer does not have. */
async function talk(port: number, host = '127.0.0.1') {
  const socket: Socket = connect(port, host)
  socket.setMaxListeners(0)
  let heard = ''
  let read = 0
  socket.setEncoding('utf8').on('data', (chunk: string) => (heard += chunk))
  socket.on('error', () => {})
  const answer = async () => {
    for (;;) {
      const end = /^\d{3} .*\r\n/m.exec(heard.slice(read))
      if (end) {
        const text = heard.slice(read, read + end.index + end[0].length)
        read += text.length
        return text
      }
      if (socket.closed) return ''
      await Promise.race([once(socket, 'data'), once(socket, 'close')])
    }
  }
  await answer()
  return {
    socket,
    answer,
    async say(line: string) {
      socket.write(`${line}\r\n`)
      return answer()
    },
    heard: () => heard,
  }
}

const plain = ({ id, secret }: TestSender) =>
  `AUTH PLAIN ${Buffer.from(`\0${id}\0${secret}`).toString('base64')}`

const outside = Object.values(networkInterfaces())
  .flat()
  .find((one) => one && !one.internal && one.family === 'IPv4')

test.group('SMTP submission', (group) => {
  let service: TestService
  let sender: TestSender
  group.setup(async () => {
    service = await startTestMailService()
    return () => service.stop()
  })
  group.each.setup(async () => {
    sender = await createTestSender(service)
  })

  const transport = (user = String(sender.id), pass = sender.secret, more = {}) =>
    createTransport({
      host: '127.0.0.1',
      port: service.smtpPort,
      auth: { user, pass },
      tls: { rejectUnauthorized: false },
      ...more,
    })
  /** Starts a separate submission server, which has no earlier wrong keys in its counters. */
  const submissionAlone = (host: string) => {
    const senders = new SenderAuthenticator(service.database)
    const tls = createServerCertificate('localhost')
    return startSmtpSubmissionServer(
      { senders, commits: {} as never, budget: {} as never, tls, log() {} },
      host,
      0
    )
  }
  const rows = () =>
    service.database.rows<{ id: string; recipient: string; subject: string; raw: Buffer }>(
      `select m.*, c.raw from mail.messages m join mail.contents c on c.id = m.content_id
       where sender_id = $1 order by m.id`,
      [sender.id]
    )
  const signedIn = async () => {
    const line = await talk(service.smtpPort)
    await line.say('EHLO test')
    await line.say(plain(sender))
    return line
  }
  const envelope = async (recipients = ['ana@example.net']) => {
    const line = await signedIn()
    await line.say(`MAIL FROM:<${sender.email}>`)
    for (const recipient of recipients) await line.say(`RCPT TO:<${recipient}>`)
    await line.say('DATA')
    return line
  }
  const head = () => `From: ${sender.email}\r\nSubject: Hi\r\n`

  test('nodemailer can submit with STARTTLS, with the account’s ID or the sender’s address as user name', async ({
    assert,
  }) => {
    for (const user of [String(sender.id), sender.email]) {
      const told = { from: `Shop <${sender.email}>`, to: ['a@example.net', 'b@example.net'] }
      const info: SentMessageInfo = await transport(user, sender.secret, {
        requireTLS: true,
      }).sendMail({
        ...told,
        subject: 'শুভেচ্ছা',
        text: 'Hi',
        html: '<p>Hi</p>',
      })
      assert.match(String((info as { response: string }).response), /^250 2\.\d\.\d Queued as /)
    }
    const all = await rows()
    assert.lengthOf(all, 4)
    assert.equal(all[0]!.subject, 'শুভেচ্ছা')
    const [day] = await service.control
      .call('usage', {
        id: sender.id,
        from: '2000-01-01',
        to: '2999-01-01',
      })
      .then((days) => days.slice(-1))
    assert.equal(day!.accepted, 4)
    const counts = await service.control.call('sentCounts', { ids: [sender.id] })
    assert.isAtLeast(Object.values(counts[sender.id]!)[0]!, 4)
  })

  test('keeps the message byte for byte, but adds missing fields in front and removes Bcc', async ({
    assert,
  }) => {
    const odd =
      'X-Odd:   two  spaces\t \r\n\tfolded\r\nfrom:  ' +
      sender.email +
      '\r\nsubject: =?utf-8?q?Hi?=\r\n'
    const body = '\r\n. a dot\r\n..two\r\n\xff\xfe latin\r\n\r\n'
    const whole = `Message-ID: <mine@example.com>\r\nDate: Mon, 23 Nov 2026 10:00:00 +0600\r\n${odd}${body}`
    const stuffed = (text: string) => Buffer.from(text.replace(/^\./gm, '..'), 'latin1')
    for (const text of [whole, odd + body]) {
      const line = await envelope()
      line.socket.write(stuffed(text))
      assert.match(await line.say('.'), /^250 /)
    }
    const blind = await envelope(['ana@example.net', 'hidden@example.net'])
    blind.socket.write(
      stuffed(`${odd}Bcc: hidden@example.net,\r\n other@example.net\r\nX-Last: 1\r\n${body}`)
    )
    assert.match(await blind.say('.'), /^250 /)
    const [first, second, third] = await rows()
    assert.equal(first!.raw.toString('latin1'), whole)
    const added = second!.raw.toString('latin1').slice(0, -(odd + body).length)
    assert.isTrue(second!.raw.toString('latin1').endsWith(odd + body))
    assert.match(
      added,
      /^Message-ID: <[0-9a-f-]+@example\.com>\r\nDate: \w{3}, \d\d \w{3} \d{4} [\d:]{8} \+0000\r\n$/
    )
    assert.isTrue(third!.raw.toString('latin1').endsWith(`${odd}X-Last: 1\r\n${body}`))
    assert.notInclude(third!.raw.toString('latin1'), 'hidden')
  })

  test('accepts a password without TLS only from this machine', async ({ assert, cleanup }) => {
    const line = await talk(service.smtpPort)
    assert.match(await line.say('EHLO test'), /AUTH PLAIN LOGIN/)
    const made = await submissionAlone('0.0.0.0')
    cleanup(() => made.stop())
    const far = await talk(made.port, outside!.address)
    const offered = await far.say('EHLO test')
    assert.include(offered, 'STARTTLS')
    assert.notInclude(offered, 'AUTH')
    assert.match(await far.say(plain(sender)), /^5\d\d /)
    assert.match(await far.say(`MAIL FROM:<${sender.email}>`), /^530 /)
    far.socket.destroy()
    const safe = createTransport({
      host: outside!.address,
      port: made.port,
      requireTLS: true,
      auth: { user: String(sender.id), pass: sender.secret },
      tls: { rejectUnauthorized: false },
    })
    assert.isTrue(await safe.verify())
    safe.close()
  }).skip(!outside, 'this machine has no address but its own')

  test('limits the connections of one remote address', async ({ assert, cleanup }) => {
    const made = await submissionAlone('0.0.0.0')
    const open: Socket[] = []
    cleanup(async () => {
      for (const socket of open) socket.destroy()
      await made.stop()
    })
    const greeting = async (host: string) => {
      const socket = connect(made.port, host)
      open.push(socket)
      const [said] = (await once(socket, 'data')) as [Buffer]
      return said.toString().slice(0, 3)
    }
    const greetings = (host: string, count: number) =>
      Promise.all(Array.from({ length: count }, () => greeting(host)))
    assert.deepEqual([...new Set(await greetings(outside!.address, 50))], ['220'])
    assert.equal(await greeting(outside!.address), '421')
    assert.deepEqual([...new Set(await greetings('127.0.0.1', 60))], ['220'])
    for (const socket of open.splice(0, 50)) socket.destroy()
    await eventually(async () => assert.equal(await greeting(outside!.address), '220'))
  }).skip(!outside, 'this machine has no address but its own')

  test('rejects clients that have not signed in or use wrong credentials', async ({ assert }) => {
    const line = await talk(service.smtpPort)
    await line.say('EHLO test')
    assert.match(await line.say(`MAIL FROM:<${sender.email}>`), /^530 5\.7\.0/)
    const wrong = { ...sender, secret: 'x' }
    assert.match(await line.say(plain(wrong)), /^535 5\.7\.8/)
    const other = await createTestSender(service)
    assert.match(await line.say(plain({ ...sender, id: other.id })), /^535 5\.7\.8/)
    assert.match(await line.say(plain(sender)), /^235 2\.7\.0/)
  })

  test('From must be the sender’s address, in the envelope and in the header', async ({
    assert,
  }) => {
    const line = await signedIn()
    assert.match(await line.say('MAIL FROM:<other@example.com>'), /^553 5\./)
    assert.match(await line.say('MAIL FROM:<other+shop@example.com>'), /^553 5\./)
    const heads = [
      'Subject: none\r\n',
      'From: other@example.com\r\n',
      `From: "${sender.email}" <other@example.com>\r\n`,
      `From: ${sender.email}, other@example.com\r\n`,
      `From: ${sender.email}\r\nFrom: other@example.com\r\n`,
      `From : other@example.com\r\nFrom: ${sender.email}\r\n`,
      `From: ${sender.email}\r\nSender: other@example.com\r\n`,
      'From: undisclosed:;\r\n',
      `From: All: ${sender.email};\r\n`,
      `From: <@example.com:${sender.email}>\r\n`,
      `From: ${sender.email} (<other@example.com>)\r\n`,
      `From: <${sender.email}> other\r\n`,
      `From: ${sender.email}\r\nSender: All: ${sender.email};\r\n`,
      'From:\r\n',
    ]
    for (const wrong of heads) {
      const next = await envelope()
      next.socket.write(`${wrong}\r\nbody\r\n`)
      assert.match(await next.say('.'), /^553 5\.1\./, wrong)
    }
    assert.lengthOf(await rows(), 0)
  })

  test('accepts an empty envelope sender, and a sender address with a subaddress', async ({
    assert,
  }) => {
    for (const from of ['', sender.email.replace('@', '+orders=17@')]) {
      const line = await signedIn()
      assert.match(await line.say(`MAIL FROM:<${from}>`), /^250 /)
      await line.say('RCPT TO:<ana@example.net>')
      await line.say('DATA')
      line.socket.write(`${head()}\r\nbody\r\n`)
      assert.match(await line.say('.'), /^250 /)
    }
    assert.lengthOf(await rows(), 2)
  })

  test('rejects a line of more than 998 bytes immediately, and names its number', async ({
    assert,
  }) => {
    const cases: [text: string, reply: RegExp][] = [
      [`\r\n${'x'.repeat(998)}\r\n`, /^250 /],
      [`\r\nshort\r\n${'x'.repeat(999)}\r\n`, /^554 5\.\S+ Line 5 has more than 998 bytes/],
      [`\r\n${'ü'.repeat(500)}\r\n`, /^554 .*quoted-printable/],
      [`X-Long: ${'x'.repeat(991)}\r\n\r\nbody\r\n`, /^554 5\.\S+ Line 3 has/],
    ]
    for (const [text, reply] of cases) {
      const line = await envelope()
      line.socket.write(head() + text)
      assert.match(await line.say('.'), reply)
    }
    assert.lengthOf(await rows(), 1)
  })

  test('removes header fields that only this service or mail servers may set', async ({
    assert,
  }) => {
    const line = await envelope()
    const removed = [
      'Return-Path: <private@example.org>',
      'Authentication-Results: mx.example.org;\r\n\tdkim=pass',
      'X-Idempotency-Key: order-18',
      'Resent-Bcc: hidden@example.net',
    ]
    line.socket.write(
      `${removed.join('\r\n')}\r\n${head()}X-Last: 1\r\n\r\nReturn-Path: in the text\r\n`
    )
    assert.match(await line.say('.'), /^250 /)
    const raw = (await rows())[0]!.raw.toString()
    assert.isTrue(raw.endsWith(`${head()}X-Last: 1\r\n\r\nReturn-Path: in the text\r\n`))
    assert.notMatch(raw, /^(return-path: <|authentication|x-idem|resent|\tdkim)/im)
  })

  test('rejects a header that is too long, and limits rejected messages', async ({ assert }) => {
    // The limit counts the messages of one minute. So the sessions are prepared first, and only their last step happens
    // within that minute.
    const begun = await Promise.all(
      Array.from({ length: MAX_REJECTED_CALLS_PER_MINUTE }, () => envelope())
    )
    for (const more of [`X-A: ${'a'.repeat(300_000)}\r\n`, 'A: b\r\n'.repeat(5_000)]) {
      const next = await envelope()
      next.socket.write(`${head()}${more}\r\nbody\r\n`)
      assert.match(await next.say('.'), /^552 5\.\S+ The header/)
    }
    for (const [at, next] of begun.entries()) {
      next.socket.write('Subject: none\r\n\r\nbody\r\n')
      const answer = await next.say('.')
      next.socket.destroy()
      assert.match(answer, at < MAX_REJECTED_CALLS_PER_MINUTE - 2 ? /^553 / : /^450 /)
    }
  })

  test('accepts at most 100 recipients, which must be plain addresses', async ({ assert }) => {
    const line = await signedIn()
    await line.say(`MAIL FROM:<${sender.email}>`)
    assert.match(await line.say('RCPT TO:<ana>'), /^5\d\d 5\./)
    assert.match(await line.say('RCPT TO:<a@[127.0.0.1]>'), /^553 5\.1\.3/)
    for (let at = 0; at < 100; at++) {
      assert.match(await line.say(`RCPT TO:<r${at}@example.net>`), /^250 /)
    }
    assert.match(await line.say('RCPT TO:<late@example.net>'), /^452 4\./)
    await line.say('DATA')
    line.socket.write(`${head()}\r\nbody\r\n`)
    assert.match(await line.say('.'), /^250 /)
    assert.lengthOf(await rows(), 100)
    const [{ contents }] = (await service.database.rows<{ contents: number }>(
      'select count(distinct content_id) as contents from mail.messages where sender_id = $1',
      [sender.id]
    )) as [{ contents: number }]
    assert.equal(contents, 1)
  })

  test('rejects a bare LF or CR and reads nothing after it as a message', async ({ assert }) => {
    const smuggled = (end: string) =>
      `${head()}\r\nfirst${end}MAIL FROM:<${sender.email}>\r\nRCPT TO:<victim@example.org>\r\nDATA\r\n${head()}\r\nsecond\r\n`
    for (const end of ['\n.\n', '\n.\r\n', '\r.\r', '\r\n.\n', '\r.\r\n', '\r\n.\r', '\n\n.\r\n']) {
      const line = await envelope()
      line.socket.write(smuggled(end))
      assert.match(await line.say('.'), /^554 5\.6\.0/, JSON.stringify(end))
      line.socket.destroy()
    }
    assert.lengthOf(await rows(), 0)
  })

  test('returns 552 for a message that is too large, whether announced or not, and keeps the connection', async ({
    assert,
  }) => {
    const line = await signedIn()
    assert.match(await line.say(`MAIL FROM:<${sender.email}> SIZE=99999999`), /^552 5\.3\.4/)
    await line.say(`MAIL FROM:<${sender.email}>`)
    await line.say('RCPT TO:<ana@example.net>')
    await line.say('DATA')
    line.socket.write(`${head()}\r\n`)
    const row = Buffer.from(`${'a'.repeat(76)}\r\n`.repeat(20_000))
    for (let sent = 0; sent < 27 * 1024 ** 2; sent += row.length) line.socket.write(row)
    assert.match(await line.say('.'), /^552 /)
    assert.match(await line.say('NOOP'), /^250 /)
    assert.lengthOf(await rows(), 0)
  })

  test('the same idempotency key returns the same message, and with other content an error', async ({
    assert,
  }) => {
    const give = async (body: string) => {
      const line = await envelope()
      line.socket.write(`${head()}X-Idempotency-Key: order-17\r\n\r\n${body}\r\n`)
      return line.say('.')
    }
    const answers = await Promise.all(Array.from({ length: 8 }, () => give('body')))
    const ids = answers.map((answer) => /as ([0-9a-f-]{36})/.exec(answer)?.[1])
    assert.lengthOf([...new Set(ids)], 1)
    assert.match(await give('other'), /^554 5\./)
    assert.lengthOf(await rows(), 1)
  })

  test('the SMTP reply names the limit that was reached, or the sender’s status', async ({
    assert,
  }) => {
    await service.control.call('changeSender', { id: sender.id, hourlyLimit: 1 })
    const give = async () => {
      const line = await envelope()
      line.socket.write(`${head()}\r\nbody\r\n`)
      return line.say('.')
    }
    assert.match(await give(), /^250 /)
    assert.match(await give(), /^450 4\..*next hour/)
    const waiting = await envelope()
    await service.control.call('changeSender', {
      id: sender.id,
      hourlyLimit: 9,
      state: 'suspended',
    })
    waiting.socket.write(`${head()}\r\nbody\r\n`)
    assert.match(await waiting.say('.'), /^554 5\..*suspended/)
    assert.lengthOf(await rows(), 1)
  })

  test('rate-limits an address that guesses passwords', async ({ assert }) => {
    const own = await submissionAlone('127.0.0.1')
    const wrong = { ...sender, secret: 'x' }
    for (let tried = 0; tried < 4; tried++) {
      const line = await talk(own.port)
      await line.say('EHLO test')
      for (let time = 0; time < 5; time++) assert.match(await line.say(plain(wrong)), /^535 /)
    }
    const line = await talk(own.port)
    await line.say('EHLO test')
    assert.match(await line.say(plain(sender)), /^454 4\.7\.0/)
    await own.stop()
  })
})
