import { test } from '@japa/runner'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { forEachLine, LineSplitter, type LineSplitterOptions } from '../line_splitter.js'

const linesOf = async (chunks: (string | Buffer)[], options?: LineSplitterOptions) => {
  const lines: string[] = []
  await forEachLine(Readable.from(chunks), (line) => lines.push(line), options)
  return lines
}

test.group('Splitting output into lines', () => {
  test('lines are the same for any chunk boundaries', async ({ assert }) => {
    const bytes = Buffer.from('first\r\n\nzweite Zeile: ü৳\nlast')
    const expected = ['first', '', 'zweite Zeile: ü৳', 'last']
    assert.deepEqual(await linesOf([bytes]), expected)
    const one = new LineSplitter()
    const single = [...bytes].flatMap((byte) => one.push(Buffer.from([byte])))
    assert.deepEqual([...single, ...one.rest()], expected)
  })

  test('a carriage return ends a line only on request', async ({ assert }) => {
    assert.deepEqual(await linesOf(['10%\r20%\r\nend\n']), ['10%\r20%', 'end'])
    assert.deepEqual(await linesOf(['10%\r20%\r\nend\n'], { returns: true }), ['10%', '20%', 'end'])
  })

  test('a line that is too long is cut off, and the next line is complete', async ({ assert }) => {
    const options = { maxLineLength: 5 }
    assert.deepEqual(await linesOf(['123', '4567', '89\nnext\n12345\n'], options), [
      '12345…',
      'next',
      '12345',
    ])
  })

  test('120 MB without a line break: the line is cut off with `…`, and memory use does not grow', async ({
    assert,
  }) => {
    const endless = `const part = Buffer.alloc(1 << 20, 120)
      let left = 120
      const more = () => { while (left-- > 0) if (!process.stdout.write(part)) return process.stdout.once('drain', more)
        process.stdout.end('\\nafter\\n') }
      more()`
    const child = spawn(process.execPath, ['-e', endless], { stdio: ['ignore', 'pipe', 'inherit'] })
    const before = process.memoryUsage()
    let most = 0
    child.stdout.on('data', () => {
      const { heapUsed } = process.memoryUsage()
      most = Math.max(most, heapUsed - before.heapUsed)
    })
    const lines: string[] = []
    await forEachLine(child.stdout, (line) => lines.push(line))
    assert.deepEqual(
      lines.map((line) => line.length),
      [64 * 1024 + 1, 'after'.length]
    )
    assert.isTrue(lines[0].endsWith('x…'))
    assert.isBelow(most, 64 * 2 ** 20)
  })

  test('a stream that breaks counts as ended', async ({ assert }) => {
    const broken = Readable.from(
      (async function* () {
        yield 'one\ntwo'
        throw new Error('the line was cut')
      })()
    )
    const lines: string[] = []
    await forEachLine(broken, (line) => lines.push(line))
    assert.deepEqual(lines, ['one', 'two'])
  })

  test('a callback that throws rejects the promise and never ends the process', async ({
    assert,
  }) => {
    const lines: string[] = []
    const child = spawn(process.execPath, ['-e', "console.log('x\\n'.repeat(200_000))"])
    const hear = (line: string) => {
      lines.push(line)
      throw new Error(`bad line ${line}`)
    }
    const heard = forEachLine(child.stdout, hear)
    // Until here, nothing handles the rejection of this promise. `forEachLine` must prevent it from ending the process.
    await once(child, 'close')
    await assert.rejects(() => heard, 'bad line x')
    assert.lengthOf(lines, 1)
    await assert.rejects(() => forEachLine(Readable.from(['y']), hear), 'bad line y')
  })
})
