import { test } from '@japa/runner'
import { mailboxOf } from '../addresses.js'
import { compose } from '../accept/compose.js'
import type { Message } from '../accept/message.js'
import { notTheirs, onlyMailbox, readHeader } from '../smtp/headers.js'

const EMAIL = 'shop@shop.test'

test.group('One mailbox in From and Sender', () => {
  test('is read: {$self}')
    .with([
      EMAIL,
      `  ${EMAIL}\t`,
      `<${EMAIL}>`,
      `Shop <${EMAIL}>`,
      `Shop<${EMAIL}>`,
      `J. Q. Public & Sons' Shop <${EMAIL}>`,
      `"Shop, the (best); <of> all: \\"really\\"" <${EMAIL}>`,
      `"bank@bank.test" <${EMAIL}>`,
      `"" <${EMAIL}>`,
      `=?utf-8?q?B=C3=BCcher?= =?utf-8?b?TGFkZW4=?= <${EMAIL}>`,
      `B\u00c3\u00bccher <${EMAIL}>`,
      'SHOP@Shop.Test',
      // As cron, mail(1), web forms and old programs write it.
      `${EMAIL} (Shop)`,
      `${EMAIL}(Shop)`,
      `${EMAIL} (Cron Daemon) (at night)`,
      `root (Cron Daemon) <${EMAIL}>`,
      `(Cron Daemon) <${EMAIL}>`,
      `Shop (BD) and (more) Sons <${EMAIL}>`,
      `"Shop" (BD) <${EMAIL}> (x)`,
      `<${EMAIL}> (x)`,
      `Shop () <${EMAIL}>`,
      `Shop < ${EMAIL} >`,
      `<${EMAIL} >`,
      `${EMAIL} <${EMAIL}>`,
      `${EMAIL} (Shop) <${EMAIL}>`,
      `${EMAIL.toUpperCase()} <${EMAIL}>`,
    ])
    .run(({ assert }, value) => {
      assert.equal(mailboxOf(value)?.toLowerCase(), EMAIL)
      assert.isUndefined(notTheirs(readHeader(Buffer.from(`From:${value}\r\n\r\n`)).fields, EMAIL))
    })

  test('is not read: {$self}')
    .with([
      '',
      ' ',
      '<>',
      'Shop',
      // Lists and groups.
      `${EMAIL}, bank@bank.test`,
      `${EMAIL},`,
      `,${EMAIL}`,
      `<${EMAIL}> <bank@bank.test>`,
      `Shop <${EMAIL}>, Bank <bank@bank.test>`,
      `${EMAIL} bank@bank.test`,
      `All: ${EMAIL};`,
      `All: <${EMAIL}>;`,
      `bank@bank.test: ${EMAIL};`,
      `${EMAIL};`,
      // Source routes.
      `<@bank.test:${EMAIL}>`,
      `<@a.test,@b.test:${EMAIL}>`,
      // Text around or inside the address.
      `<${EMAIL}> bank`,
      `${EMAIL} bank`,
      `${EMAIL}>`,
      `<${EMAIL}`,
      `<<${EMAIL}>>`,
      `< bank ${EMAIL}>`,
      `<${EMAIL} bank >`,
      `< ${EMAIL} bank@bank.test >`,
      `${EMAIL} <bank@bank.test>`,
      `${EMAIL} <${EMAIL}> <${EMAIL}>`,
      `bank@bank.test (Shop) <${EMAIL}>`,
      `a < b <${EMAIL}>`,
      `bank@bank.test <${EMAIL}>`,
      `"Shop <${EMAIL}>`,
      `"Shop" "<${EMAIL}>`,
      `Shop \\<${EMAIL}>`,
      `shop @shop.test`,
      `shop@ shop.test`,
      `<shop@shop.test\u00a0>`,
      `${EMAIL}\u00a0`,
      `<${EMAIL}>\0`,
      `"a\0" <${EMAIL}>`,
      // Comments.
      `(bank@bank.test) ${EMAIL}`,
      `(Bank) ${EMAIL}`,
      `${EMAIL} (bank@bank.test)`,
      `${EMAIL} (a (b) c)`,
      `${EMAIL} (a) b`,
      `${EMAIL} (a), bank@bank.test`,
      `${EMAIL} (a)@bank.test`,
      `${EMAIL}(a).bank.test`,
      `${EMAIL} (a`,
      `${EMAIL} a)`,
      `${EMAIL} (a\\)`,
      `${EMAIL} (")")`,
      `${EMAIL} (a\0)`,
      `${EMAIL} (All:)`,
      `<${EMAIL} (a)>`,
      `<(a) ${EMAIL}>`,
      `Shop (a, b) <${EMAIL}>`,
      `Shop (<bank@bank.test>) <${EMAIL}>`,
      `shop(c)@shop.test`,
      `<shop@(c)shop.test>`,
      // Encoded words in place of an address.
      '=?utf-8?q?shop=40shop.test?=',
      '<=?utf-8?q?shop?=@shop.test>',
      `=?utf-8?q?bank@bank.test?= <${EMAIL}>`,
      // Other forms of addresses.
      '"shop"@shop.test',
      'shop@[127.0.0.1]',
      'shop.@shop.test',
      'shop@shop..test',
      'shop@shop.test@bank.test',
    ])
    .run(({ assert }, value) => {
      assert.notEqual(mailboxOf(value), EMAIL)
      const header = readHeader(Buffer.from(`From: ${value}\r\n\r\n`, 'latin1'))
      assert.match(notTheirs(header.fields, EMAIL)!, /^From must be/)
    })

  test('Sender is held to the same rule, and each stands once', ({ assert }) => {
    const wrong = (text: string) => notTheirs(readHeader(Buffer.from(text)).fields, EMAIL)
    assert.isUndefined(wrong(`From: ${EMAIL}\r\nSender: Shop\r\n <${EMAIL}>\r\n\r\n`))
    for (const sender of [`All: ${EMAIL};`, `${EMAIL} (x@y)`, `${EMAIL}\r\nSender: ${EMAIL}`]) {
      assert.match(wrong(`From: ${EMAIL}\r\nSender: ${sender}\r\n\r\n`)!, /^Sender/)
    }
    assert.match(wrong(`From: ${EMAIL}\r\nFROM : ${EMAIL}\r\n\r\n`)!, /exactly one From/)
    assert.match(wrong(`From: ${EMAIL},\r\n bank@bank.test\r\n\r\n`)!, /^From must be/)
  })

  test('a field of another name than RFC 5322 allows is refused: {$self}')
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
        notTheirs(readHeader(Buffer.from(text, 'latin1')).fields, EMAIL)
      for (const text of [`${line}From: ${EMAIL}\r\n\r\n`, `From: ${EMAIL}\r\n${line}\r\n`]) {
        assert.match(wrong(text)!, /must begin with a name and a colon/)
      }
      assert.match(wrong(` From: ${EMAIL}\r\n\r\n`)!, /must begin with a name and a colon/)
      assert.isUndefined(wrong(`X-A!b : c\r\nFrom: ${EMAIL}\r\n\r\n`))
    })

  test('a long field takes no time', ({ assert }) => {
    const began = performance.now()
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
      assert.isUndefined(mailboxOf(piece.repeat(1_000_000 / piece.length)))
    }
    assert.isBelow(performance.now() - began, 2_000)
  })

  test('messages of the API hold one mailbox, whatever the name is', async ({ assert }) => {
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
          from: { address: EMAIL, domain: 'shop.test' },
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
        const raw = await compose(message, Object.assign(composing, { trackOpens: false }))
        const { fields } = readHeader(raw)
        assert.equal(onlyMailbox(fields, 'from'), EMAIL, senderName)
        assert.equal(onlyMailbox(fields, 'to'), 'a@there.test', senderName)
      }
    }
  })
})
