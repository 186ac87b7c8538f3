import { test } from '@japa/runner'
import { FieldReader } from '../accept/field_reader.js'
import { readMessage } from '../accept/message.js'
import { MAX_HTML_DEPTH, MAX_HTML_ELEMENTS, MAX_JSON_VALUES } from '../limits.js'
import { HtmlTooComplexError, htmlToText } from '../parsing/html_text.js'
import { checkAndMeasureJson } from '../parsing/json_size.js'
import { normalizeLineEndings } from '../parsing/line_endings.js'
import { mimeLimitProblem } from '../parsing/mime_limits.js'
import {
  ParseLimitExceededError,
  ParserBusyError,
  UntrustedTextParser,
} from '../parsing/untrusted_text_parser.js'
import { readHeader } from '../smtp/headers.js'
import { startCpuTimer } from '#tests/support/cpu_timer'

const BYTES_PER_MB = 1_000_000

test.group('Parsing of untrusted mail', (group) => {
  let parser: UntrustedTextParser
  group.each.timeout(300_000)
  group.setup(() => {
    // A long time limit, because other programs share the processors. The tests limit the processor time instead.
    parser = new UntrustedTextParser({ timeoutMs: 150_000 })
    return () => parser.stop()
  })

  /** Returns the longest time, in milliseconds of CPU time, for which `work` blocked the event loop. */
  async function longestPause(work: () => Promise<unknown>): Promise<number> {
    let [last, longest] = [process.threadCpuUsage(), 0]
    const measure = () => {
      const { user, system } = process.threadCpuUsage(last)
      last = process.threadCpuUsage()
      longest = Math.max(longest, (user + system) / 1_000)
    }
    const timer = setInterval(measure, 5)
    await work().finally(() => clearInterval(timer))
    measure()
    return longest
  }

  test('HTML of {0} is rejected with a message, and the process stays responsive')
    .with<[string, string][]>([
      ['2 MB of nested div', '<div>'.repeat((2 * BYTES_PER_MB) / 5)],
      ['2 MB of nested b', '<b>'.repeat((2 * BYTES_PER_MB) / 3)],
      ['nested blockquotes and lists', '<blockquote><ul><li>'.repeat(50_000)],
      ['nested tables', '<table><tr><td>'.repeat(50_000)],
      ['a million br', '<br>'.repeat(BYTES_PER_MB)],
      ['30 kB of nested div', '<div>'.repeat(6_000)],
      ['lines in 250 quotes', `${'<blockquote>'.repeat(250)}<pre>${'a\n'.repeat(2_400)}`],
      ['encoded lines in quotes', `${'<blockquote>'.repeat(250)}<pre>${'&#10;'.repeat(900)}`],
      ['lines in 100 lists', `${'<ul><li>'.repeat(100)}<pre>${'a\r'.repeat(2_000)}`],
      ['a long word in quotes', `${'<blockquote>'.repeat(200)}${'a'.repeat(BYTES_PER_MB)}`],
    ])
    .run(async ({ assert }, [, html]) => {
      const pause = await longestPause(() =>
        assert.rejects(
          () => parser.html(html),
          /more than \d+ (?:levels of )?elements|too many lines in nested quotes and lists/
        )
      )
      assert.isBelow(pause, 5_000)
    })

  test('HTML of {0} is parsed in linear time')
    .with<[string, string][]>([
      ['a table of 1,000 rows', `<table>${`<tr>${'<td>a</td>'.repeat(20)}</tr>`.repeat(1_000)}`],
      ['200 quotes in each other', '<blockquote>a'.repeat(200)],
      ['paragraphs without ends', '<p>a'.repeat(MAX_HTML_ELEMENTS)],
      ['1 MB of entities', '&amp;'.repeat(BYTES_PER_MB / 5)],
      ['1 MB of unclosed tags', '<a '.repeat(BYTES_PER_MB / 3)],
      ['1 MB of comments', '<!-- '.repeat(BYTES_PER_MB / 5)],
      ['a tag of a million attributes', `<a ${'b '.repeat(BYTES_PER_MB / 2)}>`],
      ['1 MB of ends', '</div>'.repeat(BYTES_PER_MB / 6)],
      ['1 MB of spaces', `<p>${' '.repeat(BYTES_PER_MB)}</p>`],
      ['one word of 1 MB', 'a'.repeat(BYTES_PER_MB)],
    ])
    .run(async ({ assert }, [, html]) => {
      const cpuMs = startCpuTimer()
      const text = await parser.html(html)
      assert.isBelow(cpuMs(), 20_000)
      assert.isBelow(text.length, 2 * BYTES_PER_MB)
    })

  test('HTML is converted up to the maximum depth', async ({ assert }) => {
    const deep = (depth: number) => `${'<b>'.repeat(depth)}a`
    assert.equal(htmlToText(deep(MAX_HTML_DEPTH)), 'a')
    assert.throws(() => htmlToText(deep(MAX_HTML_DEPTH + 1)), /levels of elements/)
    await assert.rejects(() => parser.html(deep(MAX_HTML_DEPTH + 1)), HtmlTooComplexError)
  })

  test('a text that takes too long ends its parser thread, and the next text is parsed', async ({
    assert,
  }) => {
    const hasty = new UntrustedTextParser({ timeoutMs: 1 })
    await assert.rejects(() => hasty.html('<p>a</p>'.repeat(10_000)), ParseLimitExceededError)
    await hasty.stop()
    assert.equal(await parser.html(`<p>${'a '.repeat(8_000)}</p>`).then((text) => text[0]), 'a')
  })

  test('a text that takes too much memory ends its parser thread, and the next text is parsed', async ({
    assert,
  }) => {
    const small = new UntrustedTextParser({ timeoutMs: 60_000, maxHeapMb: 40 })
    assert.equal(await small.html('<p>a</p>'), 'a')
    const large = '<p a b c d e f g h i j k l m>a'.repeat(45_000)
    await assert.rejects(() => small.html(large), /takes too much memory to parse/)
    assert.equal(await small.html('<p>a</p>'), 'a')
    await small.stop()
  })

  test('if a parser thread cannot start for lack of memory, only its text fails', async ({
    assert,
  }) => {
    const tiny = new UntrustedTextParser({ timeoutMs: 60_000, maxHeapMb: 3 })
    for (let round = 0; round < 2; round++) {
      await assert.rejects(() => tiny.html('<p>a</p>'), /Terminating worker thread/)
    }
    await tiny.stop()
  })

  test('a sender can have 100 waiting texts, and senders take turns', async ({ assert }) => {
    const html = `<p>${'a '.repeat(8_000)}</p>`
    const order: string[] = []
    const convert = async (sender: string) => {
      assert.isString(await parser.html(html, sender))
      order.push(sender)
    }
    const own = Array.from({ length: 102 }, () => convert('one'))
    const others = ['two', 'two', 'three'].map(convert)
    const settled = await Promise.allSettled(own)
    await Promise.all(others)
    assert.deepEqual(
      settled.flatMap(({ status }, index) => (status === 'rejected' ? [index] : [])),
      [101]
    )
    await assert.rejects(() => own.at(-1)!, ParserBusyError)
    assert.deepEqual(order.slice(0, 6), ['one', 'one', 'two', 'three', 'one', 'two'])
    assert.isString(await parser.html(html, 'one'))
  })

  test('JSON of {0} is rejected before it is parsed')
    .with<[string, string][]>([
      ['18 MB of objects', `{"messages":[${'{},'.repeat(6 * BYTES_PER_MB)}{}]}`],
      ['a million numbers', `{"a":[${'1,'.repeat(BYTES_PER_MB)}1]}`],
      ['nested lists', '['.repeat(BYTES_PER_MB)],
      ['nested objects', '{"a":'.repeat(BYTES_PER_MB)],
    ])
    .run(({ assert }, [, json]) => {
      const cpuMs = startCpuTimer()
      assert.throws(
        () => checkAndMeasureJson(Buffer.from(json)),
        /^The JSON has more than \d+ (values|levels)/
      )
      assert.isBelow(cpuMs(), 10_000)
      const fields = new FieldReader({ attachments: json })
      assert.isUndefined(fields.json('attachments'))
      assert.match(fields.errors.attachments![0]!, /^The JSON has more than/)
    })

  test('attachments do not count as text, even if their strings look like JSON', ({ assert }) => {
    const content = 'QUJD'.repeat(BYTES_PER_MB / 4)
    const attachments = Array.from({ length: 3 }, () => ({ filename: 'a', content }))
    const message = { subject: '{[,]}"\\', text_body: '\\"content\\": "', attachments }
    for (const space of [0, 1]) {
      const json = Buffer.from(JSON.stringify(message, null, space))
      const plain = checkAndMeasureJson(json)
      assert.isBelow(plain, 500)
      assert.isAbove(plain, json.length - 3 * BYTES_PER_MB - 10)
    }
    const text = Buffer.from(JSON.stringify({ content_type: 'a'.repeat(99), a: ['content', 'b'] }))
    assert.equal(checkAndMeasureJson(text), text.length)
    const many = JSON.stringify(Array.from({ length: MAX_JSON_VALUES - 1 }, () => 1))
    assert.equal(checkAndMeasureJson(Buffer.from(many)), many.length)
    // This check accepts truncated JSON, which the JSON parser rejects later.
    for (const cut of ['', '"', '"\\', '{"content":"', '{"content'])
      checkAndMeasureJson(Buffer.from(cut))
  })

  test('an attachment of spaces and one invalid character is rejected quickly', ({ assert }) => {
    const cpuMs = startCpuTimer()
    const read = readMessage(
      { attachments: [{ filename: 'a', content: `${' '.repeat(5 * BYTES_PER_MB)}!` }] },
      'shop@shop.test'
    ) as Record<string, string[]>
    assert.deepEqual(read['attachments.0'], ['The content of an attachment must be base64.'])
    assert.isBelow(cpuMs(), 5_000)
  })

  test('an email with {0} is rejected')
    .with<[string, string][]>([
      ['a header of 5 MB', `X-A: ${'a'.repeat(5 * BYTES_PER_MB)}\r\n\r\n`],
      ['a million header fields', `${'A: b\r\n'.repeat(BYTES_PER_MB)}\r\n`],
      ['a million recipients', `To: ${'a@b.test,\r\n '.repeat(BYTES_PER_MB / 5)}\r\n\r\n`],
      ['eleven signatures', `${'DKIM-Signature: v=1\r\n'.repeat(11)}\r\n`],
      [
        'letters in letters',
        `Subject: a\r\n${'Content-Type: message/rfc822\r\n\r\n'.repeat(10_000)}`,
      ],
      [
        'parts in parts',
        `Subject: a\r\n${Array.from({ length: 5_000 }, (_, at) => `content-type: multipart/mixed; boundary=${at}\r\n\r\n--${at}\r\n`).join('')}`,
      ],
      ['parts without types', `Subject: a\r\n\r\n${'--a\r\n\r\n'.repeat(100_000)}`],
    ])
    .run(({ assert }, [, raw]) => {
      const cpuMs = startCpuTimer()
      assert.match(mimeLimitProblem(Buffer.from(raw))!, /^The (header|message) /)
      assert.isBelow(cpuMs(), 5_000)
    })

  test('a header with bare line endings is parsed in linear time: {0}')
    .with<[string, string, number][]>([
      ['one CR after a long line', `X: ${'a'.repeat(250_000)}\rb\r\n\r\nx`, 1],
      ['CR only', `X: a\r\n${'\r'.repeat(250_000)}`, 2],
      ['pairs of CR and text', `X: a\r\n${'\ra'.repeat(125_000)}\r\n\r\n`, 2],
      ['LF only', `X: a\r\n ${'\nb'.repeat(3_000)}\r\n\r\n`, 1],
    ])
    .run(({ assert }, [, text, fieldCount]) => {
      const raw = Buffer.from(text)
      const cpuMs = startCpuTimer()
      const { fields } = readHeader(raw)
      mimeLimitProblem(raw)
      mimeLimitProblem(normalizeLineEndings(raw))
      assert.isBelow(cpuMs(), 5_000)
      assert.lengthOf(fields, fieldCount)
      assert.equal(
        fields.map((field) => field.raw).join(''),
        text.split('\r\n\r\n', 1)[0] + (text.includes('\r\n\r\n') ? '\r\n' : '')
      )
    })

  test('reports with {0} are parsed in linear time')
    .with<[string, string, string][]>([
      ['a long word as sender', 'Original-Mail-From: ', 'a'.repeat(200_000)],
      ['many at signs', 'Original-Mail-From: ', 'a@'.repeat(50_000) + ' b'],
      ['many hyphens', 'Arrival-Date: ', `x\r\n\r\n--b\r\n\r\n${'-'.repeat(20_000)}`],
    ])
    .run(async ({ assert }, [, name, value]) => {
      const raw = Buffer.from(
        'From: mailer-daemon@b.test\r\nSubject: failure\r\nMIME-Version: 1.0\r\n' +
          'Content-Type: multipart/report; boundary="b"\r\n\r\n--b\r\n' +
          `Content-Type: message/feedback-report\r\n\r\nFeedback-Type: abuse\r\n${name}${value}\r\n--b--\r\n`
      )
      await parser.report(Buffer.from('Subject: a\r\n\r\n'), true)
      const cpuMs = startCpuTimer()
      assert.equal((await parser.report(raw, true))?.type, 'complained')
      const words = Buffer.from(
        `From: mailer-daemon@b.test\r\nSubject: failure\r\n\r\n${value.slice(-20_000)}`
      )
      assert.isUndefined(await parser.report(words, true))
      assert.isBelow(cpuMs(), 10_000)
    })

  test('bare CR or LF become CR LF, and complete line endings stay unchanged', ({ assert }) => {
    const normalized = (text: string) => normalizeLineEndings(Buffer.from(text)).toString()
    assert.equal(normalized('a\nb\rc\r\nd\n\n\r\r\n\r'), 'a\r\nb\r\nc\r\nd\r\n\r\n\r\n\r\n\r\n')
    const proper = Buffer.from('a\r\n\r\nb\r\n')
    assert.strictEqual(normalizeLineEndings(proper), proper)
    const cpuMs = startCpuTimer()
    normalizeLineEndings(Buffer.from('\n'.repeat(5 * BYTES_PER_MB)))
    assert.isBelow(cpuMs(), 5_000)
  })

  test('a parser thread reads the text of an HTML-only reply, and parses encoded words in linear time', async ({
    assert,
  }) => {
    const letter = (subject: string, html: string) =>
      Buffer.from(
        'From: A <a@b.test>\r\nMessage-ID: <1@b.test>\r\nIn-Reply-To: <2@c.test>\r\n' +
          `Subject: ${subject}\r\nContent-Type: text/html\r\n\r\n${html}\r\n`
      )
    const read = await parser.answer(letter('Re', '<p>Good <b>day</b>.</p>'), false)
    assert.deepInclude(read, { sender: 'a@b.test', body: 'Good day.' })
    const words = letter('=?utf-8?q?a?= '.repeat(10_000), '<p>a</p>')
    assert.isUndefined(mimeLimitProblem(words))
    assert.deepInclude(await parser.answer(words, false), { body: 'a' })
    const deep = letter('Re', '<div>'.repeat(400_000))
    const pause = await longestPause(async () => {
      const refused = [554, '5.6.0 The HTML has more than 256 levels of elements.']
      assert.deepEqual(await parser.answer(deep, false), { refused })
    })
    assert.isBelow(pause, 5_000)
  })
})
