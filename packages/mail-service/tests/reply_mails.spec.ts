import { test } from '@japa/runner'
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { SendError } from '../delivery/attempt_result.js'
import { signatureOf } from '../dkim/signature.js'
import type { ReplyMail } from '../inbound/verify_reply_mail.js'
import {
  createDeliveryFixture,
  MAIL_HOST,
  createTestResolver,
  type DeliveryFixture,
} from './delivery_fixture.js'

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const der = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
const OUR_MESSAGE_ID = `<support.7.1.${'x'.repeat(22)}@berth.test>`

const records: Record<string, string> = {
  'k._domainkey.signed.test': `v=DKIM1; k=rsa; p=${der}`,
  'k._domainkey.other.test': `v=DKIM1; k=rsa; p=${der}`,
  '_dmarc.strict.test': 'v=DMARC1; p=reject',
  'spf.test': 'v=spf1 ip4:127.0.0.1 -all',
  'strict.test': 'v=spf1 -all',
}

const names = createTestResolver({
  async txt(name) {
    if (name.endsWith('away.test')) throw Object.assign(new Error('away'), { code: 'ETIMEOUT' })
    if (records[name]) return [records[name]]
    throw Object.assign(new Error('none'), { code: 'ENOTFOUND' })
  },
})

function letter(
  from: string,
  more: string[] = [`In-Reply-To: ${OUR_MESSAGE_ID}`],
  body = 'The shop.\r\n'
) {
  const id = `<${randomUUID()}@signed.test>`
  return [
    `From: ${from}`,
    `To: reply@${MAIL_HOST}`,
    'Subject: Re: hello',
    `Message-ID: ${id}`,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    ...more,
    '',
    body,
  ].join('\r\n')
}

const signed = async (raw: string, domain = 'signed.test') =>
  `${await signatureOf(Buffer.from(raw), { domain, selector: 'k', privateKey })}${raw}`

test.group('Email replies', (group) => {
  let its: DeliveryFixture
  let port: number

  group.each.setup(async () => {
    its = await createDeliveryFixture()
    await its.database.rows('delete from mail.replies')
    const outgoing = await its.start({ inboundPort: 0, inboundHost: '127.0.0.1', names })
    port = outgoing.inboundPort!
    return () => its.end()
  })

  async function send(raw: string, from: string, to = `Reply@${MAIL_HOST}`): Promise<number> {
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

  const kept = () =>
    its.database.rows<ReplyMail>('select sender, refs, body from mail.replies order by id')

  test('a reply with a verified sender is stored once', async ({ assert }) => {
    const raw = await signed(letter('Ann <Ann@signed.test>'))
    assert.equal(await send(raw, 'bounce@elsewhere.test'), 250)
    assert.equal(await send(raw, 'bounce@elsewhere.test'), 250)
    assert.equal(await send(letter('bob@spf.test'), 'bob@spf.test'), 250)
    const rows = await kept()
    assert.deepEqual(
      rows.map(({ sender, refs }) => [sender, refs]),
      [
        ['ann@signed.test', [OUR_MESSAGE_ID]],
        ['bob@spf.test', [OUR_MESSAGE_ID]],
      ]
    )
    assert.equal(rows[0]!.body.trim(), 'The shop.')
  })

  test('a reply without a verified sender is rejected during the SMTP session', async ({
    assert,
  }) => {
    const plain = letter('ann@signed.test')
    const changed = (await signed(plain)).replace('The shop.', 'All shops.')
    for (const [raw, from] of [
      [plain, 'ann@signed.test'],
      [changed, 'ann@signed.test'],
      // The signature or the sending server belongs to a domain other than that of the From field.
      [await signed(plain, 'other.test'), 'ann@signed.test'],
      [plain, 'bob@spf.test'],
      [letter('ann@strict.test'), 'ann@strict.test'],
      [await signed(letter('ann@signed.test, eve@signed.test')), 'ann@signed.test'],
    ] as const) {
      assert.equal(await send(raw, from), 550)
    }
    assert.equal(await send(letter('ann@away.test'), 'ann@away.test'), 451)
    assert.lengthOf(await kept(), 0)
  })

  test('an automatic reply is dropped, and an email that is no reply is rejected', async ({
    assert,
  }) => {
    for (const header of ['Auto-Submitted: auto-replied', 'Precedence: bulk', 'List-Id: <x.y>']) {
      const raw = await signed(
        letter('ann@signed.test', [`In-Reply-To: ${OUR_MESSAGE_ID}`, header])
      )
      assert.equal(await send(raw, 'ann@signed.test'), 250)
    }
    assert.equal(await send(await signed(letter('ann@signed.test')), ''), 250)
    assert.equal(await send(await signed(letter('ann@signed.test', [])), 'ann@signed.test'), 550)
    assert.equal(await send(letter('a@spf.test'), 'a@spf.test', `replies@${MAIL_HOST}`), 550)
    assert.lengthOf(await kept(), 0)
  })

  test('a reply uses the text of its HTML, and says that attachments were removed', async ({
    assert,
  }) => {
    const parts = [
      '--b',
      'Content-Type: text/html',
      '',
      '<p>It is <b>down</b></p>',
      '',
      '--b',
      'Content-Type: application/pdf',
      'Content-Disposition: attachment; filename=a.pdf',
      '',
      '%PDF',
      '--b--',
      '',
    ]
    const raw = letter(
      'bob@spf.test',
      [`References: <a@b> ${OUR_MESSAGE_ID}`],
      parts.join('\r\n')
    ).replace('text/plain; charset=utf-8', 'multipart/mixed; boundary=b')
    assert.equal(await send(raw, 'bob@spf.test'), 250)
    const [{ body, refs }] = (await kept()) as [ReplyMail]
    assert.include(body, '1 attachment was not included')
    assert.include(body, 'It is down')
    assert.notInclude(body, '<b>')
    assert.deepEqual(refs, [OUR_MESSAGE_ID, '<a@b>'])
  })

  test('replies with excessive HTML or parts, or with several From mailboxes, are rejected permanently', async ({
    assert,
  }) => {
    const html = 'Content-Type: text/html'
    const deep = letter('bob@spf.test', [`In-Reply-To: ${OUR_MESSAGE_ID}`], '<div>'.repeat(400_000))
    const refused = [
      deep.replace('Content-Type: text/plain; charset=utf-8', html),
      letter('bob@spf.test', [`In-Reply-To: ${OUR_MESSAGE_ID}`], '--a\r\n\r\n'.repeat(10_000)),
    ]
    for (const raw of refused) assert.equal(await send(raw, 'bob@spf.test'), 554)
    const froms = ['All: bob@spf.test;', '<@signed.test:bob@spf.test>', 'bob@spf.test (<ann@b.c>)']
    for (const from of froms) assert.equal(await send(letter(from), 'bob@spf.test'), 550, from)
    assert.equal(await send(letter('Bob <bob@spf.test>'), 'bob@spf.test'), 250)
    assert.lengthOf(await kept(), 1)
  })

  test('replies are stored until the console deletes them', async ({ assert }) => {
    const outgoing = await its.start({ port: 1, inboundPort: 0, inboundHost: '127.0.0.1', names })
    assert.equal(outgoing.ways().replies, `reply@${MAIL_HOST}`)
    assert.isNull((await its.start({ port: 1, names })).ways().replies)
    for (const at of ['a', 'b']) await send(letter(`${at}@spf.test`), `${at}@spf.test`)
    const [first] = await outgoing.handlers.replies({})
    assert.equal(first!.sender, 'a@spf.test')
    assert.lengthOf(await outgoing.handlers.replies({}), 2)
    await outgoing.handlers.forgetReplies({ ids: [first!.id] })
    const left = await outgoing.handlers.replies({})
    assert.deepEqual(
      left.map(({ sender }) => sender),
      ['b@spf.test']
    )
  })
})
