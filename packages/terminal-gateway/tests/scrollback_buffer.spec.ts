import { test } from '@japa/runner'
import { ScrollbackBuffer } from '../scrollback_buffer.js'

const BYTES_PER_KIB = 1024
const backlog = (limit: number, ...chunks: string[]) => {
  const made = new ScrollbackBuffer(limit)
  for (const chunk of chunks) made.push(Buffer.from(chunk))
  return made
}
const textOf = (made: ScrollbackBuffer) => made.replay().toString()

test.group('Scrollback buffer of a terminal', () => {
  test('returns a terminal reset and then all output', ({ assert }) => {
    assert.equal(textOf(backlog(256 * BYTES_PER_KIB)), '\x1bc')
    const long = 'x'.repeat(40 * BYTES_PER_KIB)
    assert.equal(textOf(backlog(256 * BYTES_PER_KIB, 'ü৳', '\r\n', long)), `\x1bcü৳\r\n${long}`)
  })

  test('keeps the newest output, at most its limit plus one block', ({ assert }) => {
    const made = backlog(64 * BYTES_PER_KIB)
    for (let line = 0; line < 20_000; line++) made.push(Buffer.from(`line ${line}\n`))
    assert.isAtMost(made.size, 80 * BYTES_PER_KIB)
    const lines = textOf(made).split('\n')
    assert.equal(lines.at(-2), 'line 19999')
    assert.match(lines[0], /^\x1bcline \d{5}$/)
    made.push(Buffer.alloc(1_000 * BYTES_PER_KIB, 'y'))
    assert.isAtMost(made.size, 80 * BYTES_PER_KIB)
    made.limit = 16 * BYTES_PER_KIB
    assert.isAtMost(made.size, 32 * BYTES_PER_KIB)
  })

  test('stores a small chunk without keeping the large buffer that it is part of', ({ assert }) => {
    const made = backlog(64 * BYTES_PER_KIB)
    const large = Buffer.from('abc'.padEnd(1_000, '.'))
    made.push(large.subarray(0, 3))
    large.fill('!')
    assert.equal(textOf(made), '\x1bcabc')
  })

  test('the replay starts at an escape sequence or a line, with the modes that still apply', ({
    assert,
  }) => {
    const cell = '\x1b[38;5;12mü'
    const made = backlog(32 * BYTES_PER_KIB, '\x1b[?1049h\x1b[?25;2004l', '\x1b[?1000h')
    for (let drawn = 0; drawn < 8_000; drawn++) made.push(Buffer.from(cell))
    const text = textOf(made)
    const modes = '\x1bc\x1b[?1049h\x1b[?25l\x1b[?2004l\x1b[?1000h'
    assert.isTrue(text.startsWith(modes))
    assert.equal(text.slice(modes.length).replaceAll(cell, ''), '')
    // The dropped output also contained the sequence that leaves the alternate screen, so the replay must start on the
    // normal screen.
    made.push(Buffer.from('\x1b[?1049l'))
    for (let drawn = 0; drawn < 8_000; drawn++) made.push(Buffer.from(cell))
    assert.isTrue(textOf(made).startsWith('\x1bc\x1b[?1049l'))
  })
})
