import { test } from '@japa/runner'
import { createHash, randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { eventually } from '#tests/support/eventually'
import { TestServing, type TestResponse } from './test_server.js'
import type { CreatedVault } from './test_service.js'

const boundary = 'line-between-parts'
const OCTETS = 'application/octet-stream'
type Part = { name: string; filename?: string; value: Buffer | string; type?: string }

function form(...parts: Part[]): Buffer {
  const pieces = parts.flatMap(({ name, filename, value, type }) => [
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"` +
        (filename === undefined ? '' : `; filename="${filename}"`) +
        (type ? `\r\nContent-Type: ${type}` : '') +
        '\r\n\r\n'
    ),
    Buffer.from(value),
    Buffer.from('\r\n'),
  ])
  return Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)])
}

const file = (value: Buffer | string, filename = 'a.txt'): Part => ({
  name: 'file',
  filename,
  value,
})
const field = (name: string, value: string): Part => ({ name, value })

test.group('Upload API', (group) => {
  let on: TestServing
  let vault: CreatedVault
  group.setup(async () => {
    on = await TestServing.start()
    return () => on.end()
  })
  group.each.setup(async () => {
    vault = await on.makeVault()
  })
  const head = (length: number) => ({
    'X-Secret-Key': vault.secret,
    'X-Access-Key-Id': String(vault.accountId),
    'Content-Type': `multipart/form-data; boundary=${boundary}`,
    'Content-Length': String(length),
  })
  const send = (body: Buffer, headers: Record<string, string> = {}, from?: string) =>
    on.ask('/upload', { method: 'POST', headers: { ...head(body.length), ...headers }, body, from })
  const told = ({ status, text }: TestResponse) => ({ status, ...JSON.parse(text) })
  const read = async (name: string) => on.ask(`/${vault.key}/${name}`)

  test('stores a file under its folder and name, whether these fields come before or after the file', async ({
    assert,
  }) => {
    const bytes = randomBytes(700_000)
    const cases = [
      { parts: [file(bytes, 'ü 1.png')], path: 'ü 1.png' },
      { parts: [field('folder', 'x'), file(bytes, '1.png')], path: 'x/1.png' },
      { parts: [file(bytes, '1.png'), field('folder', '/x/y/')], path: 'x/y/1.png' },
      { parts: [file(bytes, 'C:\\\\z\\\\1.png'), field('filename', 'b.png')], path: 'b.png' },
      { parts: [file(bytes, '../../1.png'), field('cache', 'invalidate')], path: '1.png' },
      { parts: [field('other', 'x'), file(bytes), field('filename', 'n/b.png')], path: 'n/b.png' },
    ]
    for (const { parts, path } of cases) {
      const { status, success, message, filepath } = told(await send(form(...parts)))
      assert.deepEqual([status, success, filepath], [200, true, path])
      assert.isString(message)
      const got = await read(encodeURIComponent(path))
      assert.isTrue(got.body.equals(bytes))
      assert.equal(got.headers['content-type'], path.endsWith('png') ? 'image/png' : 'text/plain')
    }
  })

  test('a part’s name decides whether it is a file, because other programs send different headers', async ({
    assert,
  }) => {
    const binary = (name: string, value: string) => ({ ...field(name, value), type: OCTETS })
    const cases: { parts: Part[]; path?: string }[] = [
      { parts: [binary('folder', 'x'), file('text'), binary('filename', 'b')], path: 'x/b' },
      { parts: [field('filename', 'c'), { ...file('text'), filename: undefined }], path: 'c' },
      { parts: [binary('file', 'text'), field('filename', 'd')], path: 'd' },
      { parts: [{ ...field('file', 'text') }, field('filename', 'e')], path: 'e' },
      { parts: [{ ...binary('folder', 'y'), filename: 'blob' }, file('text', 'f')], path: 'y/f' },
      { parts: [binary('other', 'x'), file('text', 'g')], path: 'g' },
      { parts: [binary('other', 'x'.repeat(9000)), file('text', 'i')], path: 'i' },
      {
        parts: [
          { ...field('folder', 'z'), type: 'text/plain; charset=ISO-8859-1' },
          file('text', 'h'),
        ],
        path: 'z/h',
      },
      { parts: [binary('file', 'text')] },
      { parts: [file('text', '')] },
    ]
    for (const { parts, path } of cases) {
      const { status, filepath, message } = told(await send(form(...parts)))
      assert.deepEqual([status, filepath], [path ? 200 : 422, path], message)
      if (path) assert.equal((await read(path)).text, 'text')
      else assert.include(message, 'Send the field "filename"')
    }
    const long = 'x'.repeat(9000)
    for (const other of [
      { ...file('text'), name: 'other' },
      { ...file('text'), name: 'other', filename: undefined },
      binary('other', long),
      field('other', long),
    ]) {
      const { status, message } = told(await send(form(field('folder', 'x'), other)))
      assert.deepEqual([status, message], [400, 'The file belongs in the field "file".'])
    }
    assert.equal(
      told(await send(form(field('folder', 'x')))).message,
      'The form has no field "file".'
    )
  })

  test('an overwritten object is visible immediately, and its type depends only on its name', async ({
    assert,
  }) => {
    for (const text of ['first', 'second']) {
      await send(form({ ...file(text, 'p.jpg'), type: 'text/html' }))
      const got = await read('p.jpg')
      assert.equal(got.text, text)
      assert.equal(got.headers['content-type'], 'image/jpeg')
    }
    await send(form({ ...file('<html>', 'page'), type: 'text/html' }))
    assert.equal((await read('page')).headers['content-type'], 'application/octet-stream')
  })

  test('stores empty and large files', async ({ assert }) => {
    assert.equal((await send(form(file('', 'empty')))).status, 200)
    assert.equal((await read('empty')).headers['content-length'], '0')
    const bytes = randomBytes(20_000_000)
    assert.equal((await send(form(file(bytes, 'large')))).status, 200)
    assert.isTrue((await read('large')).body.equals(bytes))
  })

  test('compares the checksum before it stores anything', async ({ assert }) => {
    const is = createHash('sha256').update('text').digest('hex')
    const sum = (value: string) => field('checksum', value)
    await send(form(file('before')))
    const before = await on.bodies()
    for (const parts of [
      [file('text'), sum(`sha256:${is}`)],
      [sum(`sha256:${'0'.repeat(64)}`), file('text')],
      [sum(is), file('text')],
      [sum(`md5:${is}`), file('text')],
    ]) {
      assert.equal((await send(form(...parts))).status, 400)
    }
    assert.equal((await read('a.txt')).text, 'before')
    assert.equal(await on.bodies(), before)
    assert.equal((await send(form(sum(`sha256:${is}`), file('text')))).status, 200)
    assert.equal((await send(form(sum(`sha256:${is.toUpperCase()}`), file('text')))).status, 200)
    assert.equal((await read('a.txt')).text, 'text')
  })

  test('rejects malformed forms and leaves nothing', async ({ assert }) => {
    const before = await on.bodies()
    const cut = form(file('text')).subarray(0, -10)
    const cases: [Buffer, Record<string, string>, number][] = [
      [Buffer.from('text'), { 'Content-Type': 'text/plain' }, 400],
      [form(file('text')), { 'Content-Type': 'multipart/form-data' }, 400],
      [form(field('folder', 'x')), {}, 400],
      [form({ ...file('text'), name: 'other' }), {}, 400],
      [form(file('text'), file('text', 'b')), {}, 400],
      [form(file('text'), field('folder', 'x'.repeat(9000))), {}, 400],
      [form(...Array.from({ length: 30 }, () => field('a', 'b')), file('text')), {}, 400],
      [cut, {}, 400],
      [Buffer.from(''), {}, 400],
      [form(file('text'), field('folder', '..')), {}, 422],
      [form(file('text'), field('folder', 'a/../../b')), {}, 422],
      [form(file('text'), field('filename', '../x')), {}, 422],
      [form(file('text'), field('filename', '/x')), {}, 422],
      [form(file('text'), field('filename', 'x\0y')), {}, 422],
      [form(file('text'), field('filename', 'x\ufffey')), {}, 422],
      [form(file('text'), field('folder', 'x\uffff')), {}, 422],
      [form(file('text', '')), {}, 422],
      [form(file('text'), field('filename', 'x'.repeat(1025))), {}, 422],
    ]
    for (const [body, headers, status] of cases) {
      const got = told(await send(body, headers))
      assert.equal(got.status, status, body.toString())
      assert.isFalse(got.success)
    }
    assert.equal(await on.bodies(), before)
    const { files, folders } = await on.control.call('list', { id: vault.id, path: '', limit: 9 })
    assert.lengthOf([...files, ...folders], 0)
  })

  test('rejects wrong and read-only keys', async ({ assert }) => {
    const from = '127.0.0.9'
    const body = form(file('text'))
    const status = async (headers: Record<string, string>) =>
      (await send(body, headers, from)).status
    const other = await on.makeVault()
    assert.equal(await status({ 'X-Secret-Key': '' }), 401)
    assert.equal(await status({ 'X-Access-Key-Id': '' }), 401)
    assert.equal(await status({ 'X-Secret-Key': 'wrong' }), 401)
    assert.equal(await status({ 'X-Secret-Key': other.secret }), 401)
    assert.equal(await status({ 'X-Access-Key-Id': String(other.accountId) }), 401)
    const make = (readOnly: boolean) =>
      on.control.call('makeKey', { id: vault.id, name: 'k', readOnly })
    const [writing, reading] = [await make(false), await make(true)]
    const headersOf = ({ accessKeyId, secret }: typeof writing) => ({
      'X-Secret-Key': secret,
      'X-Access-Key-Id': accessKeyId,
    })
    assert.equal(await status(headersOf(writing)), 200)
    assert.equal(await status(headersOf(reading)), 403)
    assert.equal(await status({ ...headersOf(writing), 'X-Secret-Key': vault.secret }), 401)
  })

  test('rate-limits clients that try wrong keys', async ({ assert }) => {
    const from = '127.0.0.10'
    const body = form(file('text'))
    const wrong = () => send(body, { 'X-Secret-Key': 'wrong' }, from)
    for (let at = 0; at < 20; at++) assert.equal((await wrong()).status, 401)
    const got = await wrong()
    assert.equal(got.status, 429)
    assert.isAbove(Number(got.headers['retry-after']), 0)
    assert.equal((await send(body, {}, from)).status, 429)
    assert.equal((await send(body, {}, '127.0.0.11')).status, 200)
  })

  test('behind trusted proxies, the forwarded client address is rate-limited, in all threads', async ({
    assert,
  }) => {
    const threads = [await TestServing.start(on, { trustedProxies: '198.51.100.0/24' })]
    threads.push(await TestServing.start(threads[0]))
    const [trusting, other] = threads
    try {
      const status = async (named: string, secret = vault.secret, at = trusting) => {
        const body = form(file('text'))
        const own = { 'X-Secret-Key': secret, 'X-Forwarded-For': named }
        const headers = { ...head(body.length), ...own }
        return (await at.ask('/upload', { method: 'POST', headers, body })).status
      }
      const named = '2001:DB8:0:7:0:0:0:ff'
      // The proxy 198.51.100.7 is trusted, so the address before it is the client's. The client may have forged the
      // addresses before that one.
      for (let at = 0; at < 20; at++) {
        const one = `192.0.2.${at}, 2001:db8:0:7::${at}, 198.51.100.7`
        assert.equal(await status(one, 'wrong'), 401)
      }
      assert.equal(await status(`${named}, 198.51.100.7`), 429)
      assert.equal(await status(named, vault.secret, other), 429, 'the other thread knows')
      assert.equal(await status('2001:db8:0:8::9, 198.51.100.7'), 200, 'not the proxy itself')
      assert.equal(await status(`${named}, 203.0.113.11`), 200, 'nor whom no proxy names')
    } finally {
      for (const thread of threads) await thread.serving.close()
    }
  })

  test('rejects uploads to a read-only or suspended vault', async ({ assert }) => {
    for (const state of ['read_only', 'suspended'] as const) {
      await on.control.call('changeVault', { id: vault.id, state })
      assert.equal((await send(form(file('text')))).status, 403)
    }
  })

  test('rejects more than 5 GB before the client sends the body', async ({ assert }) => {
    const answer = await raw(on.url, `Content-Length: ${5 * 1024 ** 3 + 2_000_000}`, vault)
    assert.match(answer, /^HTTP\/1\.1 413 /)
  })

  test('a client that sends `Expect: 100-continue` gets the error before it sends the body', async ({
    assert,
  }) => {
    const wrong = await raw(on.url, 'Content-Length: 9\r\nExpect: 100-continue', {
      ...vault,
      secret: 'wrong',
    })
    assert.match(wrong, /^HTTP\/1\.1 401 /)
    const right = await raw(on.url, 'Content-Length: 9\r\nExpect: 100-continue', vault)
    assert.match(right, /^HTTP\/1\.1 100 Continue/)
  })

  test('a client that is rejected while it sends a large body still gets the response', async ({
    assert,
  }) => {
    const body = form(file(randomBytes(30_000_000)))
    const got = await send(body, { 'X-Access-Key-Id': '1' }, '127.0.0.12')
    assert.equal(got.status, 401)
    assert.equal(got.headers.connection, 'close')
  })

  test('an upload that is interrupted at any byte leaves nothing', async ({ assert }) => {
    const bodyBytes = form(
      field('folder', 'cut'),
      file(randomBytes(300_000)),
      field('filename', 'a')
    )
    await send(form(field('folder', 'cut'), file('before'), field('filename', 'a')))
    const before = await on.bodies()
    const head = [
      'POST /upload HTTP/1.1',
      'Host: x',
      `X-Secret-Key: ${vault.secret}`,
      `X-Access-Key-Id: ${vault.accountId}`,
      `Content-Length: ${bodyBytes.length}`,
      `Content-Type: multipart/form-data; boundary=${boundary}`,
      '',
      '',
    ].join('\r\n')
    const cuts = [0, 1, 50, 120, 250, 300, 65_000, 200_000, 299_000]
    for (let at = 1; at <= 90; at += 6) cuts.push(bodyBytes.length - at)
    await Promise.all(
      cuts.map(async (cut) => {
        const socket = connect(Number(new URL(on.url).port), '127.0.0.1')
        socket.on('error', () => {})
        socket.write(head)
        socket.write(bodyBytes.subarray(0, cut))
        await new Promise((resolve) => setTimeout(resolve, 100))
        if (cut % 2) socket.resetAndDestroy()
        else socket.destroy()
      })
    )
    await eventually(async () => assert.equal(await on.bodies(), before))
    assert.equal((await read('cut/a')).text, 'before')
    assert.equal((await send(bodyBytes)).status, 200)
  })
})

/** Sends only the header of an upload request. Returns the first bytes of the response. */
function raw(url: string, lines: string, { secret, accountId }: CreatedVault): Promise<string> {
  const socket = connect({
    port: Number(new URL(url).port),
    host: '127.0.0.1',
    localAddress: '127.0.0.13',
  })
  const keys = `X-Secret-Key: ${secret}\r\nX-Access-Key-Id: ${accountId}`
  const type = `Content-Type: multipart/form-data; boundary=${boundary}`
  socket.write(`POST /upload HTTP/1.1\r\nHost: x\r\n${keys}\r\n${type}\r\n${lines}\r\n\r\n`)
  return new Promise((resolve, reject) => {
    socket.on('error', reject)
    socket.once('data', (data) => {
      socket.destroy()
      resolve(data.toString())
    })
  })
}
