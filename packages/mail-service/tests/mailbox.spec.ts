import { test } from '@japa/runner'
import { parseMailboxAddress } from '../addresses.js'
import { composeMessage } from '../accept/compose.js'
import type { Message } from '../accept/message.js'
import { senderHeaderProblem, singleMailboxOf, readHeader } from '../smtp/headers.js'
import { startCpuTimer } from '#tests/support/cpu_timer'

const SENDER_EMAIL = 'shop@shop.test'

test.group('Mailboxes in From and Sender', () => {
  test('accepts {$self}')
    .with([
      SENDER_EMAIL,
      `  ${SENDER_EMAIL}\t`,
      `<${SENDER_EMAIL}>`,
      `Shop <${SENDER_EMAIL}>`,
      `Shop<${SENDER_EMAIL}>`,
      `J. Q. Public & Sons' Shop <${SENDER_EMAIL}>`,
      `"Shop, the (best); <of> all: \\"really\\"" <${SENDER_EMAIL}>`,
      `"bank@bank.test" <${SENDER_EMAIL}>`,
      `"" <${SENDER_EMAIL}>`,
      `=?utf-8?q?B=C3=BCcher?= =?utf-8?b?TGFkZW4=?= <${SENDER_EMAIL}>`,
      `B\u00c3\u00bccher <${SENDER_EMAIL}>`,
      'SHOP@Shop.Test',
      // Cron, mail(1), web forms and old programs write the From field like this.
      `${SENDER_EMAIL} (Shop)`,
      `${SENDER_EMAIL}(Shop)`,
      `${SENDER_EMAIL} (Cron Daemon) (at night)`,
      `root (Cron Daemon) <${SENDER_EMAIL}>`,
      `(Cron Daemon) <${SENDER_EMAIL}>`,
      `Shop (BD) and (more) Sons <${SENDER_EMAIL}>`,
      `"Shop" (BD) <${SENDER_EMAIL}> (x)`,
      `<${SENDER_EMAIL}> (x)`,
      `Shop () <${SENDER_EMAIL}>`,
      `Shop < ${SENDER_EMAIL} >`,
      `<${SENDER_EMAIL} >`,
      `${SENDER_EMAIL} <${SENDER_EMAIL}>`,
      `${SENDER_EMAIL} (Shop) <${SENDER_EMAIL}>`,
      `${SENDER_EMAIL.toUpperCase()} <${SENDER_EMAIL}>`,
    ])
    .run(({ assert }, value) => {
      assert.equal(parseMailboxAddress(value)?.toLowerCase(), SENDER_EMAIL)
      assert.isUndefined(
        senderHeaderProblem(readHeader(Buffer.from(`From:${value}\r\n\r\n`)).fields, SENDER_EMAIL)
      )
    })

  test('rejects {$self}')
    .with([
      '',
      ' ',
      '<>',
      'Shop',
      `${SENDER_EMAIL}, bank@bank.test`,
      `${SENDER_EMAIL},`,
      `,${SENDER_EMAIL}`,
      `<${SENDER_EMAIL}> <bank@bank.test>`,
      `Shop <${SENDER_EMAIL}>, Bank <bank@bank.test>`,
      `${SENDER_EMAIL} bank@bank.test`,
      `All: ${SENDER_EMAIL};`,
      `All: <${SENDER_EMAIL}>;`,
      `bank@bank.test: ${SENDER_EMAIL};`,
      `${SENDER_EMAIL};`,
      // Source routes are obsolete in RFC 5322.
      `<@bank.test:${SENDER_EMAIL}>`,
      `<@a.test,@b.test:${SENDER_EMAIL}>`,
      `<${SENDER_EMAIL}> bank`,
      `${SENDER_EMAIL} bank`,
      `${SENDER_EMAIL}>`,
      `<${SENDER_EMAIL}`,
      `<<${SENDER_EMAIL}>>`,
      `< bank ${SENDER_EMAIL}>`,
      `<${SENDER_EMAIL} bank >`,
      `< ${SENDER_EMAIL} bank@bank.test >`,
      `${SENDER_EMAIL} <bank@bank.test>`,
      `${SENDER_EMAIL} <${SENDER_EMAIL}> <${SENDER_EMAIL}>`,
      `bank@bank.test (Shop) <${SENDER_EMAIL}>`,
      `a < b <${SENDER_EMAIL}>`,
      `bank@bank.test <${SENDER_EMAIL}>`,
      `"Shop <${SENDER_EMAIL}>`,
      `"Shop" "<${SENDER_EMAIL}>`,
      `Shop \\<${SENDER_EMAIL}>`,
      `shop @shop.test`,
      `shop@ shop.test`,
      `<shop@shop.test\u00a0>`,
      `${SENDER_EMAIL}\u00a0`,
      `<${SENDER_EMAIL}>\0`,
      `"a\0" <${SENDER_EMAIL}>`,
      `(bank@bank.test) ${SENDER_EMAIL}`,
      `(Bank) ${SENDER_EMAIL}`,
      `${SENDER_EMAIL} (bank@bank.test)`,
      `${SENDER_EMAIL} (a (b) c)`,
      `${SENDER_EMAIL} (a) b`,
      `${SENDER_EMAIL} (a), bank@bank.test`,
      `${SENDER_EMAIL} (a)@bank.test`,
      `${SENDER_EMAIL}(a).bank.test`,
      `${SENDER_EMAIL} (a`,
      `${SENDER_EMAIL} a)`,
      `${SENDER_EMAIL} (a\\)`,
      `${SENDER_EMAIL} (")")`,
      `${SENDER_EMAIL} (a\0)`,
      `${SENDER_EMAIL} (All:)`,
      `<${SENDER_EMAIL} (a)>`,
      `<(a) ${SENDER_EMAIL}>`,
      `Shop (a, b) <${SENDER_EMAIL}>`,
      `Shop (<bank@bank.test>) <${SENDER_EMAIL}>`,
      `shop(c)@shop.test`,
      `<shop@(c)shop.test>`,
      '=?utf-8?q?shop=40shop.test?=',
      '<=?utf-8?q?shop?=@shop.test>',
      `=?utf-8?q?bank@bank.test?= <${SENDER_EMAIL}>`,
      '"shop"@shop.test',
      'shop@[127.0.0.1]',
      'shop.@shop.test',
      'shop@shop..test',
      'shop@shop.test@bank.test',
    ])
    .run(({ assert }, value) => {
      assert.notEqual(parseMailboxAddress(value), SENDER_EMAIL)
      const header = readHeader(Buffer.from(`From: ${value}\r\n\r\n`, 'latin1'))
      assert.match(senderHeaderProblem(header.fields, SENDER_EMAIL)!, /^From must be/)
    })

  test('the Sender field follows the same rules, and From and Sender may appear only once', ({
    assert,
  }) => {
    const wrong = (text: string) =>
      senderHeaderProblem(readHeader(Buffer.from(text)).fields, SENDER_EMAIL)
    assert.isUndefined(wrong(`From: ${SENDER_EMAIL}\r\nSender: Shop\r\n <${SENDER_EMAIL}>\r\n\r\n`))
    for (const sender of [
      `All: ${SENDER_EMAIL};`,
      `${SENDER_EMAIL} (x@y)`,
      `${SENDER_EMAIL}\r\nSender: ${SENDER_EMAIL}`,
    ]) {
      assert.match(wrong(`From: ${SENDER_EMAIL}\r\nSender: ${sender}\r\n\r\n`)!, /^Sender/)
    }
    assert.match(
      wrong(`From: ${SENDER_EMAIL}\r\nFROM : ${SENDER_EMAIL}\r\n\r\n`)!,
      /exactly one From/
    )
    assert.match(wrong(`From: ${SENDER_EMAIL},\r\n bank@bank.test\r\n\r\n`)!, /^From must be/)
  })

  test('rejects a field name that RFC 5322 forbids: {$self}')
    .with([
      `\0From: bank@bank.test\r\n`,
      `From\0: bank@bank.test\r\n`,
      `F\xadrom: bank@bank.test\r\n`,
      `From\xa0: bank@bank.test\r\n`,
      `From bank: bank@bank.test\r\n`,
      `\x0bFrom: bank@bank.test\r\n`,
      `From\r\n`,
      `: bank@bank.test\r\n`,
    ])
    .run(({ assert }, line) => {
      const wrong = (text: string) =>
        senderHeaderProblem(readHeader(Buffer.from(text, 'latin1')).fields, SENDER_EMAIL)
      for (const text of [
        `${line}From: ${SENDER_EMAIL}\r\n\r\n`,
        `From: ${SENDER_EMAIL}\r\n${line}\r\n`,
      ]) {
        assert.match(wrong(text)!, /must begin with a name and a colon/)
      }
      assert.match(wrong(` From: ${SENDER_EMAIL}\r\n\r\n`)!, /must begin with a name and a colon/)
      assert.isUndefined(wrong(`X-A!b : c\r\nFrom: ${SENDER_EMAIL}\r\n\r\n`))
    })

  test('a very long field is parsed quickly', ({ assert }) => {
    const cpuMs = startCpuTimer()
    for (const piece of [
      'a',
      '"',
      'a ',
      '"a" ',
      '<',
      '\\',
      '=?',
      'a@',
      '(',
      '(a) ',
      'a(b) ',
      '( ',
    ]) {
      assert.isUndefined(parseMailboxAddress(piece.repeat(1_000_000 / piece.length)))
    }
    assert.isBelow(cpuMs(), 20_000)
  })

  test('messages of the API contain exactly one mailbox, whatever the display name', async ({
    assert,
  }) => {
    const names = [
      'Shop',
      'a <bank@bank.test>',
      'All: x;',
      '"',
      '\\',
      'Bücher, Läden',
      '(c)',
      "O'Neill",
    ]
    names.push('=?utf-8?q?bank?=', 'x'.repeat(200), 'ж'.repeat(200), 'a\u202eb', ', ', '<>')
    for (const senderName of names) {
      for (const attachments of [[], [{ filename: 'a.txt', content: Buffer.from('a') }]]) {
        const message: Message = {
          from: { address: SENDER_EMAIL, domain: 'shop.test' },
          senderName,
          to: { address: 'a@there.test', domain: 'there.test' },
          recipientName: senderName,
          subject: 'Hello',
          text: 'Hello',
          headers: {},
          attachments,
          tags: [],
          unsubscribe: false,
        }
        const composing = { id: '1', host: 'x.test', key: 'k', publicUrl: 'http://x.test' }
        const raw = await composeMessage(message, Object.assign(composing, { trackOpens: false }))
        const { fields } = readHeader(raw)
        assert.equal(singleMailboxOf(fields, 'from'), SENDER_EMAIL, senderName)
        assert.equal(singleMailboxOf(fields, 'to'), 'a@there.test', senderName)
      }
    }
  })
})
