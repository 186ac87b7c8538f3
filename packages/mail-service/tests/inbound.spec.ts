import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { createInterface } from 'node:readline'
import { test } from '@japa/runner'
import { eventually } from '#tests/support/eventually'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { createServerCertificate } from '#packages/incus/self_signed_certificate'
import {
  createDeliveryFixture,
  MAIL_HOST,
  MAIL_KEY,
  type DeliveryFixture,
} from './delivery_fixture.js'
import { startSmtpSink, type SmtpSink } from './smtp_sink.js'
import { returnPathFor, unsubscribeAddress } from '../message_tokens.js'
import { inboundTextParser } from '../parsing/untrusted_text_parser.js'
import type { SendError } from '../delivery/attempt_result.js'

const outside = Object.values(networkInterfaces())
  .flat()
  .find((one) => one && !one.internal && one.family === 'IPv4')

function report(fields: string, more = ''): string {
  return [
    ...['From: MAILER-DAEMON@there.test', 'To: <x@y.test>', 'Subject: Undelivered', more].filter(
      Boolean
    ),
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'I am sorry. 550 5.1.1 in words only',
    '',
    '--b',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; there.test',
    '',
    fields,
    '',
    '--b',
    'Content-Type: message/rfc822',
    '',
    'Subject: Words',
    '',
    'x',
    '--b--',
    '',
  ].join('\r\n')
}

const FAILED_REPORT_LINES = [
  'Final-Recipient: rfc822; ann@there.test',
  'Action: failed',
  'Status: 5.1.1',
  'Diagnostic-Code: smtp; 550 5.1.1 <ann@there.test>: no',
  ' such user',
].join('\r\n')

function complaint(type: string, original = ''): string {
  return [
    'From: fbl@there.test',
    'Subject: complaint',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=feedback-report; boundary="b"',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'A complaint',
    '',
    '--b',
    'Content-Type: message/feedback-report',
    '',
    `Feedback-Type: ${type}`,
    ...['User-Agent: Somebody/1.0', 'Version: 1', original].filter(Boolean),
    '',
    '--b',
    'Content-Type: message/rfc822',
    '',
    'Subject: Words',
    '',
    'x',
    '--b--',
    '',
  ].join('\r\n')
}

test.group('Incoming mail', (group) => {
  let its: DeliveryFixture
  let sink: SmtpSink
  let port: number
  let id: string
  let path: string

  group.each.setup(async () => {
    its = await createDeliveryFixture()
    sink = await startSmtpSink()
    const outgoing = await its.start({
      port: sink.port,
      inboundPort: 0,
      inboundHost: '127.0.0.1',
    })
    port = outgoing.inboundPort!
    id = await its.put('ann@there.test')
    outgoing.wake()
    await its.isFinal(id)
    path = sink.letters[0]!.from
    return async () => {
      await sink.stop()
      await its.end()
    }
  })

  /** Returns the SMTP reply code; 0 if there was no reply. */
  async function send(to: string, raw: string, from = ''): Promise<number> {
    const line = new SMTPConnection({ host: '127.0.0.1', port, ignoreTLS: true })
    line.on('error', () => {})
    await new Promise<void>((done) => line.connect(() => done()))
    return new Promise((done) =>
      line.send({ from: from as never, to }, raw, (error) => {
        line.close()
        done(error ? ((error as SendError).responseCode ?? 0) : 250)
      })
    )
  }

  const events = async () =>
    (
      await its.database.rows<{ type: string }>(
        'select type from mail.events where message_id = $1 order by type',
        [id]
      )
    ).map((row) => row.type)
  const usage = async () =>
    (await its.database.row<{ bounced: number; complained: number; delivered: number }>(
      'select * from mail.usage where sender_id = $1',
      [its.sender]
    ))!

  test('offers STARTTLS', async ({ assert }) => {
    const tls = createServerCertificate(MAIL_HOST)
    const outgoing = await its.start({ inboundPort: 0, inboundHost: '127.0.0.1', tls, port: 1 })
    const line = new SMTPConnection({
      host: '127.0.0.1',
      port: outgoing.inboundPort!,
      requireTLS: true,
      tls: { ca: tls.cert, servername: MAIL_HOST },
    })
    const connected = Promise.withResolvers<void>()
    line.on('error', connected.reject)
    line.connect((error) => (error ? connected.reject(error) : connected.resolve()))
    await connected.promise
    assert.isTrue(line.secure)
    await new Promise<void>((done, failed) =>
      line.send({ from: '' as never, to: path }, report(FAILED_REPORT_LINES), (error) =>
        error ? failed(error) : done()
      )
    )
    line.close()
    assert.deepEqual(await events(), ['bounced', 'delivered'])
  })

  test('accepts mail only to addresses that Berth created', async ({ assert }) => {
    assert.equal(await send(`somebody@${MAIL_HOST}`, 'x'), 550)
    assert.equal(await send('somebody@elsewhere.test', 'x'), 550)
    const forged = path.replace(/.@/, (last) => (last === '0@' ? '1@' : '0@'))
    assert.equal(await send(forged, report(FAILED_REPORT_LINES)), 550)
    const other = returnPathFor(`${MAIL_KEY}!`, { id, domain: MAIL_HOST })
    assert.equal(await send(other, report(FAILED_REPORT_LINES)), 550)
    assert.deepEqual(await events(), ['delivered'])
  })

  test('a report of a failure bounces the message once and suppresses the recipient', async ({
    assert,
  }) => {
    assert.equal(await send(path, report(FAILED_REPORT_LINES)), 250)
    assert.equal(await send(path.toUpperCase(), report(FAILED_REPORT_LINES)), 250)
    const row = await its.message(id)
    assert.containsSubset(row, { state: 'bounced', code: 550, enhanced: '5.1.1' })
    assert.equal(row.reason, '550 5.1.1 <ann@there.test>: no such user')
    assert.deepEqual(await events(), ['bounced', 'delivered'])
    assert.containsSubset(await usage(), { bounced: 1, delivered: 1 })
    assert.equal(await its.suppressed('ann@there.test'), 'bounced')
  })

  test('an email to the unsubscribe address unsubscribes, and the address cannot be forged', async ({
    assert,
  }) => {
    const address = unsubscribeAddress(MAIL_KEY, { id, domain: MAIL_HOST })
    const forged = address.replace(/.@/, (last) => (last === '0@' ? '1@' : '0@'))
    assert.equal(await send(forged, 'Subject: unsubscribe\r\n\r\n', 'ann@there.test'), 550)
    assert.isUndefined(await its.suppressed('ann@there.test'))
    for (let time = 0; time < 2; time++) {
      assert.equal(await send(address.toUpperCase(), 'Subject: x\r\n\r\n', 'ann@there.test'), 250)
    }
    assert.equal(await its.suppressed('ann@there.test'), 'unsubscribed')
    assert.deepEqual(await events(), ['delivered', 'unsubscribed'])
  })

  for (const action of ['delayed', 'delivered', 'relayed', 'expanded']) {
    test(`a report with the action "${action}" is not a bounce`, async ({ assert }) => {
      const fields = FAILED_REPORT_LINES.replace('failed', action).replace('5.1.1\r\n', '4.0.0\r\n')
      assert.equal(await send(path, report(fields)), 250)
      assert.deepEqual(await events(), ['delivered'])
      assert.isUndefined(await its.suppressed('ann@there.test'))
    })
  }

  test('a full mailbox bounces the message without suppressing the recipient', async ({
    assert,
  }) => {
    const fields = FAILED_REPORT_LINES.replace('Status: 5.1.1', 'Status: 5.2.2')
    await send(path, report(fields))
    assert.equal((await its.message(id)).state, 'bounced')
    assert.isUndefined(await its.suppressed('ann@there.test'))
  })

  test('a report belongs to the message of its token, whatever recipient and fields it contains', async ({
    assert,
  }) => {
    const fields = [
      'Final-Recipient: rfc822; victim@there.test',
      'Original-Recipient: rfc822; victim@there.test',
      'Action: failed',
      'Status: 5.1.1',
      'Diagnostic-Code: smtp; 550 \u0000\u001b[31m<script>x</script>\u2028 X-Injected: yes',
    ].join('\r\n')
    await send(path, report(fields, 'X-Failed-Recipients: victim@there.test'))
    assert.equal(await its.suppressed('ann@there.test'), 'bounced')
    assert.isUndefined(await its.suppressed('victim@there.test'))
    assert.notMatch((await its.message(id)).reason!, /[\u0000-\u001f\u2028]/)
  })

  test('a complaint counts once, and a "not spam" report does not count', async ({ assert }) => {
    await send(path, complaint('not-spam'), 'fbl@there.test')
    assert.deepEqual(await events(), ['delivered'])
    await send(path, complaint('abuse'), 'fbl@there.test')
    await send(
      `complaints@${MAIL_HOST}`,
      complaint('abuse', `Original-Mail-From: <${path}>`),
      'f@t.test'
    )
    assert.deepEqual(await events(), ['complained', 'delivered'])
    assert.containsSubset(await usage(), { complained: 1, bounced: 0 })
    assert.equal(await its.suppressed('ann@there.test'), 'complained')
  })

  test('a complaint with an unknown return path is dropped', async ({ assert }) => {
    const raw = complaint('abuse', 'Original-Mail-From: <b-00@mail.berth.test>')
    assert.equal(await send(`complaints@${MAIL_HOST}`, raw, 'f@t.test'), 250)
    assert.deepEqual(await events(), ['delivered'])
  })

  test('abuse@ and postmaster@ accept complaints, and reject other emails', async ({ assert }) => {
    for (const mailbox of ['abuse', 'Postmaster']) {
      const raw = complaint('abuse', `Original-Mail-From: <${path}>`)
      assert.equal(await send(`${mailbox}@${MAIL_HOST}`, raw, 'fbl@there.test'), 250)
      const letter = 'Subject: Hello\r\n\r\nIs anybody there?\r\n'
      assert.equal(await send(`${mailbox}@${MAIL_HOST}`, letter, 'ann@there.test'), 550)
    }
    assert.deepEqual(await events(), ['complained', 'delivered'])
  })

  test('feedback reports that are no complaint, and all email to complaints@, are accepted', async ({
    assert,
    cleanup,
  }) => {
    const letter = 'Subject: Hello\r\n\r\nIs anybody there?\r\n'
    assert.equal(await send(`complaints@${MAIL_HOST}`, letter, 'ann@there.test'), 250)
    const folded = complaint('abuse').replace(': message/feedback', ':\r\n Message/Feedback')
    for (const mailbox of ['abuse', 'postmaster', 'complaints']) {
      for (const raw of [complaint('not-spam'), complaint('auth-failure'), folded, complaint('')])
        assert.equal(await send(`${mailbox}@${MAIL_HOST}`, raw, 'fbl@there.test'), 250)
    }
    cleanup(() => void Reflect.deleteProperty(inboundTextParser, 'report'))
    inboundTextParser.report = () => Promise.reject(new Error('broken'))
    assert.equal(await send(`abuse@${MAIL_HOST}`, letter, 'ann@there.test'), 250)
    assert.deepEqual(await events(), ['delivered'])
  })

  test('without MAIL_HOST, there is no address for complaints', async ({ assert }) => {
    const options = { inboundPort: 0, inboundHost: '127.0.0.1', port: 1 }
    port = (await its.start({ ...options, host: undefined })).inboundPort!
    for (const mailbox of ['abuse', 'postmaster', 'complaints'])
      assert.equal(await send(`${mailbox}@undefined`, complaint('abuse'), 'fbl@there.test'), 550)
  })

  test('the diagnostic text in a report of Exim suppresses the recipient', async ({ assert }) => {
    const fields = FAILED_REPORT_LINES.replace('Status: 5.1.1', 'Status: 5.0.0')
    await send(path, report(fields))
    assert.containsSubset(await its.message(id), { code: 550, enhanced: '5.1.1' })
    assert.equal(await its.suppressed('ann@there.test'), 'bounced')
  })

  test('a plain-text bounce counts only with an empty envelope sender, and an automatic reply is no bounce', async ({
    assert,
  }) => {
    const words =
      'Subject: failure notice\r\n\r\n<ann@there.test>:\r\n550 sorry, no mailbox here\r\n'
    await send(path, words, 'ann@there.test')
    await send(path, `Auto-Submitted: auto-replied\r\n${words}`)
    await send(path, 'Subject: Away\r\n\r\nBack on Monday. Call 555 1234.\r\n')
    assert.deepEqual(await events(), ['delivered'])
    await send(path, words)
    assert.deepEqual(await events(), ['bounced', 'delivered'])
    assert.equal(await its.suppressed('ann@there.test'), 'bounced')
  })

  test('connections from one remote address are limited', async ({ assert, cleanup }) => {
    const outgoing = await its.start({ inboundPort: 0, inboundHost: '0.0.0.0', port: 1 })
    const open: Socket[] = []
    cleanup(() => open.forEach((socket) => socket.destroy()))
    const greeting = async (host: string) => {
      const socket = connect(outgoing.inboundPort!, host)
      open.push(socket)
      const [said] = (await once(socket, 'data')) as [Buffer]
      return said.toString().slice(0, 3)
    }
    for (let at = 0; at < 20; at++) assert.equal(await greeting(outside!.address), '220')
    assert.equal(await greeting(outside!.address), '421')
    assert.equal(await greeting('127.0.0.1'), '220')
    open.shift()!.destroy()
    open.shift()!.destroy()
    await eventually(async () => assert.equal(await greeting(outside!.address), '220'))
  }).skip(!outside, 'this machine has no address but its own')

  test('a bounce with bare line endings bounces the message', async ({ assert }) => {
    const bare = `X-Long: ${'a'.repeat(200_000)}\r${report(FAILED_REPORT_LINES)}${'line\n'.repeat(5_000)}`
    const data = `${bare.replaceAll('\r\n', '\n')}\r\n.`
    const socket = connect(port, '127.0.0.1')
    const lines = ['EHLO there.test', 'MAIL FROM:<>', `RCPT TO:<${path}>`, 'DATA', data, 'QUIT']
    const replies: string[] = []
    for await (const reply of createInterface({ input: socket })) {
      if (reply[3] === '-') continue
      replies.push(reply)
      const line = lines.shift()
      if (line) socket.write(`${line}\r\n`)
    }
    assert.match(replies.join('\n'), /^354.*\n250 /m)
    assert.deepEqual(await events(), ['bounced', 'delivered'])
  })

  test('rejects a message that is too long and keeps running', async ({ assert }) => {
    const long = `Subject: x\r\n\r\n${'a line of text that is long\r\n'.repeat(250_000)}`
    assert.equal(await send(path, long), 552)
    assert.equal(await send(path, report(FAILED_REPORT_LINES)), 250)
  })
})
