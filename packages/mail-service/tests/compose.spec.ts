import { test } from '@japa/runner'
import { simpleParser } from 'mailparser'
import MailComposer from 'nodemailer/lib/mail-composer'
import { composeMessage } from '../accept/compose.js'
import { type Message, readMessage } from '../accept/message.js'
import {
  composeWithoutAttachments,
  type MessageWithoutAttachments,
} from '../accept/compose_without_attachments.js'
import { messageIdOfUnsubscribeAddress } from '../message_tokens.js'

const long = 'অনেক লম্বা একটি বিষয় যা এক লাইনে ধরে না, '.repeat(8).trim()
const words = 'The quick brown fox jumps over the lazy dog, again and again. '

function messageWith(more: Partial<MessageWithoutAttachments>): MessageWithoutAttachments {
  return {
    from: { name: 'Shop', address: 'shop@example.com' },
    to: { name: '', address: 'ana@example.net' },
    subject: 'Hello',
    messageId: '<1@example.com>',
    date: new Date('2026-11-03T04:05:06Z'),
    headers: {},
    boundary: '=_1',
    ...(more.html === undefined && { text: 'Good day.' }),
    ...more,
  }
}

/** Parses a message to a form in which two different encodings of the same content are equal. */
async function readOf(raw: Buffer) {
  const { headers, text, html, attachments } = await simpleParser(raw, { skipTextToHtml: true })
  for (const name of ['content-type', 'content-transfer-encoding']) headers.delete(name)
  const plain = (body: string | false | undefined) => body && body.replaceAll(/\r\n?/g, '\n')
  return {
    headers: Object.fromEntries([...headers].sort(([a], [b]) => a.localeCompare(b))),
    text: plain(text),
    html: plain(html),
    attachments,
  }
}

test.group('Composition of email messages', () => {
  test('{0}: the parsed message equals that of MailComposer')
    .with<[string, Partial<MessageWithoutAttachments>][]>([
      ['text alone', {}],
      ['HTML alone', { html: '<p>Good day.</p>' }],
      ['text and HTML', { text: 'Good day.', html: '<p>Good day.</p>' }],
      ['HTML with pictures alone', { text: '', html: '<img src="https://example.com/a">' }],
      ['Bangla', { subject: 'আপনার চালান', text: 'ধন্যবাদ।\n'.repeat(40), html: '<p>ধন্যবাদ।' }],
      ['a long subject in Bangla', { subject: long }],
      ['a long subject in ASCII', { subject: words.repeat(7) }],
      ['a long subject of one word', { subject: 'x'.repeat(500) }],
      ['emoji', { subject: '👩‍👩‍👧‍👦 Sale 🎉'.repeat(20), text: '🎉', html: '<b>👩‍👩‍👧‍👦</b>' }],
      ['words that look encoded', { subject: '=?utf-8?Q?=41?= =?x?= "quoted" = ? _' }],
      [
        'names with quotes and commas',
        {
          from: { name: 'Müller, "Jo" <x@y.z>', address: 'shop@example.com' },
          to: { name: 'O\'Neil, "Ana" (home) \\ ; <a@b.c>', address: 'ana@example.net' },
        },
      ],
      ['a long name', { from: { name: long.slice(0, 200), address: 'shop@example.com' } }],
      ['a local part of signs', { to: { name: '', address: "o'neil+a/b={x}@example.net" } }],
      ['an answer address', { replyTo: 'help@example.com' }],
      [
        'header fields',
        {
          headers: {
            'X-Long': words.repeat(10).trim(),
            'X-Bangla': 'চালান নম্বর ৫',
            'X-Quoted': 'a "b" c',
            'X-Empty': '',
            References: '<a@b> <c@d>',
            'In-Reply-To': '<c@d>',
            'List-Unsubscribe': `<https://mail.example.com/u/${'a'.repeat(90)}>`,
            'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
            'Auto-Submitted': 'auto-generated',
          },
        },
      ],
      ['a line of 998', { text: `${'x'.repeat(998)}\nend` }],
      ['a line over 998', { text: `${'x'.repeat(999)}\nend`, html: `<p>${words.repeat(40)}</p>` }],
      ['dots at the beginning of lines', { text: '.\n..\n.a\n\n.\n', html: '.<p>\n.</p>\n.\n' }],
      ['CRLF', { text: 'a\r\nb\r\n\r\nc', html: '<p>a\r\n</p>' }],
      ['LF and CRLF', { text: 'a\r\nb\nc\n\nd', html: '<p>\r\n\n</p>' }],
      ['tabs and spaces at the end of lines', { text: 'a \nb\t\n\tc  \n-- \nJo', html: '<p> \n' }],
      ['From at the beginning of a line', { text: 'From here on\nFrom: me', html: 'From a' }],
      ['what looks like a boundary', { text: '--=_\n----_NmP\n--', html: '--=_--\n' }],
      ['signs of quoted-printable', { text: 'a=3D=\n=E2=82=AC', html: '<a href="?a=3D">=</a>' }],
      ['control characters', { text: 'a\u0001\u007fb\u00a0\u0085\u2028c' }],
    ])
    .run(async ({ assert }, [, more]) => {
      const message = messageWith(more)
      const raw = composeWithoutAttachments(message)
      const composer = new MailComposer({ ...message, newline: 'win' })
      const [ours, theirs] = [await readOf(raw), await readOf(await composer.compile().build())]
      assert.deepEqual(ours, theirs)
      const lines = raw.toString('latin1').split('\r\n')
      for (const line of lines) {
        assert.match(line, /^[\t\x20-\x7e]*$/)
        assert.isAtMost(line.length, 998)
      }
    })

  test('the text part comes before the HTML part, so that mail programs show the HTML', async ({
    assert,
  }) => {
    const raw = composeWithoutAttachments(
      messageWith({ text: 'Good day.', html: '<p>Good day.</p>' })
    )
    const types = [...raw.toString().matchAll(/^Content-Type: ([a-z/]+)/gm)].map(([, type]) => type)
    assert.deepEqual(types, ['multipart/alternative', 'text/plain', 'text/html'])
  })

  test('an attachment’s type may have parameters, and an invitation is an alternative part too', async ({
    assert,
  }) => {
    const fields = {
      sender_email: 'shop@shop.test',
      subject: 'Hello',
      recipient_email: 'ann@there.test',
      text_body: 'Good day.',
    }
    const calendar = 'BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nEND:VCALENDAR\r\n'
    const attach = (type: string, content = calendar) => ({
      filename: 'a.ics',
      type,
      content: Buffer.from(content).toString('base64'),
    })
    const read = (...attachments: object[]) =>
      readMessage({ ...fields, attachments }, 'shop@shop.test')
    const composing = { id: '1', key: 'key', host: 'mail.test', publicUrl: 'https://mail.test' }
    const composed = async (...attachments: object[]) =>
      (
        await composeMessage(read(...attachments) as Message, { ...composing, trackOpens: false })
      ).toString()
    for (const type of [
      'text/calendar; method=REQUEST',
      'text/calendar;charset="utf-8";method=request',
    ]) {
      const raw = await composed(attach(type), attach('text/csv; charset=utf-8; header=present'))
      assert.match(
        raw,
        /multipart\/alternative[^]*text\/plain[^]*text\/calendar; charset=utf-8;\s+method=REQUEST/
      )
      assert.match(raw, /application\/ics; name=a\.ics/)
      assert.match(raw, /text\/csv; charset=utf-8; header=present/)
      const { attachments } = await simpleParser(raw)
      for (const { content } of attachments)
        assert.equal(content.toString().trim(), calendar.trim())
    }
    assert.notMatch(await composed(attach('text/calendar')), /alternative/)
    // nodemailer would label this Latin-1 file as a UTF-8 invitation.
    const latin1 = Buffer.from(calendar.replace('END', 'SUMMARY:Caf\u00e9\r\nEND'), 'latin1')
    for (const charset of ['iso-8859-1', '"Windows-1252"']) {
      const type = `text/calendar; method=REQUEST; charset=${charset}`
      const raw = await composed({ ...attach(type), content: latin1.toString('base64') })
      assert.notMatch(raw, /alternative|charset=utf-8;\s+method/)
      assert.match(raw, /text\/calendar; method=REQUEST; charset=/)
      assert.include(raw, latin1.toString('base64').slice(0, 60))
    }
    for (const charset of ['UTF8', 'us-ascii'])
      assert.match(
        await composed(attach(`text/calendar; method=REQUEST; charset=${charset}`)),
        /alternative/
      )
    for (const type of [
      'text',
      'text/calendar; method',
      'text/x; a="b',
      'text/x; a=b; ;',
      'a/b c',
    ]) {
      assert.deepEqual(Object.keys(read(attach(type))), ['attachments.0'], type)
    }
  })

  test('recipients can unsubscribe by link, and by email if the service receives mail', async ({
    assert,
  }) => {
    const given = readMessage(
      {
        sender_email: 'shop@shop.test',
        sender_name: 'Shop',
        subject: 'Hello',
        recipient_email: 'ann@there.test',
        recipient_name: 'Ann',
        text_body: 'Good day.',
        unsubscribe: true,
      },
      'shop@shop.test'
    ) as Message
    const id = '0191d6b0-0000-7000-8000-000000000001'
    const composing = { id, key: 'key', host: 'mail.test', publicUrl: 'https://mail.test' }
    const of = async (more: object) => {
      const raw = await composeMessage(given, { ...composing, trackOpens: false, ...more })
      const { headers } = await simpleParser(raw)
      return (headers.get('list') as { unsubscribe: Record<string, string> }).unsubscribe
    }
    const both = await of({ inbound: 'mail.test' })
    assert.match(both.url, /^https:\/\/mail\.test\/u\/[0-9a-f]{48}$/)
    assert.equal(messageIdOfUnsubscribeAddress('key', both.mail), id)
    assert.notProperty(await of({}), 'mail')
  })
})
