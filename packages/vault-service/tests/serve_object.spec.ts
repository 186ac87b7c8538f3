import { test } from '@japa/runner'
import { randomBytes } from 'node:crypto'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { TestServing } from './test_server.js'
import type { CreatedVault } from './test_service.js'

const text = 'All that is gold does not glitter, not all those who wander are lost.\n'.repeat(100)

test.group('Serving objects to browsers', (group) => {
  let on: TestServing
  let vault: CreatedVault
  group.setup(async () => {
    on = await TestServing.start()
    vault = await on.makeVault()
    return () => on.end()
  })
  const at = (name: string) => `/${vault.key}/${name}`
  /** Runs the test twice: with an empty cache, then with the object in the cache. */
  const twice = async (work: () => Promise<void>) => {
    await work()
    await work()
  }

  test('serves an object with its metadata headers', async ({ assert }) => {
    const object = await on.put(vault, 'a/ü b.txt', text)
    await twice(async () => {
      const { status, headers, text: got } = await on.ask(at('a/%C3%BC%20b.txt'))
      assert.equal(status, 200)
      assert.equal(got, text)
      assert.containsSubset(headers, {
        etag: `"${object.etag}"`,
        'last-modified': object.modifiedAt.toUTCString(),
        'cache-control': 'public, max-age=60, must-revalidate',
        'accept-ranges': 'bytes',
        'content-type': 'text/plain',
        'content-length': String(text.length),
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
        'cross-origin-resource-policy': 'cross-origin',
        vary: 'Accept-Encoding',
      })
      assert.isDefined(headers.date)
      assert.notProperty(headers, 'content-disposition')
    })
  })

  test('HEAD returns the same headers as GET, without a body', async ({ assert }) => {
    await on.put(vault, 'head.txt', text)
    for (const encoding of ['identity', 'br', 'gzip']) {
      const headers = { 'Accept-Encoding': encoding }
      const get = await on.ask(at('head.txt'), { headers })
      const head = await on.ask(at('head.txt'), { method: 'HEAD', headers })
      const plain = ({ headers }: typeof get) => ({
        ...headers,
        date: '',
        connection: '',
        'keep-alive': '',
      })
      assert.equal(head.status, 200)
      assert.deepEqual(plain(head), plain(get))
      assert.lengthOf(head.body, 0)
    }
  })

  test('characters that could start another header are removed from stored header values', async ({
    assert,
  }) => {
    await on.put(vault, 'own.txt', 'x', {
      headers: {
        cacheControl: 'public, max-age=31536000, immutable',
        contentLanguage: 'bn',
        expires: 'Thu, 01 Jan 2037 00:00:00 GMT',
        contentDisposition: 'inline; filename="x"\r\nSet-Cookie: a=b',
      },
    })
    const { headers } = await on.ask(at('own.txt'))
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
    assert.equal(headers['content-language'], 'bn')
    assert.equal(headers.expires, 'Thu, 01 Jan 2037 00:00:00 GMT')
    assert.notProperty(headers, 'set-cookie')
    await on.put(vault, 'type.txt', 'x', { type: 'text/plain\r\nSet-Cookie: a=b' })
    const { headers: typed } = await on.ask(at('type.txt'))
    assert.equal(typed['content-type'], 'application/octet-stream')
    assert.notProperty(typed, 'set-cookie')
  })

  test('the header Range: {header} gets status {status}')
    .with([
      { header: 'bytes=0-0', status: 206, range: '0-0' },
      { header: 'bytes=0-', status: 206, range: '0-9' },
      { header: 'BYTES=2-4', status: 206, range: '2-4' },
      { header: 'bytes=9-', status: 206, range: '9-9' },
      { header: 'bytes=5-100', status: 206, range: '5-9' },
      { header: 'bytes=5-99999999999999999999999', status: 206, range: '5-9' },
      { header: 'bytes=-3', status: 206, range: '7-9' },
      { header: 'bytes=-100', status: 206, range: '0-9' },
      { header: 'bytes=-0', status: 416 },
      { header: 'bytes=10-', status: 416 },
      { header: 'bytes=10-20', status: 416 },
      { header: 'bytes=99999999999999999999999-', status: 416 },
      { header: 'bytes=4-2', status: 200 },
      { header: 'bytes=-', status: 200 },
      { header: 'bytes=a-b', status: 200 },
      { header: 'bytes=0-1,3-4', status: 200 },
      { header: 'lines=0-1', status: 200 },
      { header: 'bytes 0-1', status: 200 },
      { header: 'bytes=0-1', status: 206, range: '0-1', ifRange: 'etag' },
      { header: 'bytes=0-1', status: 206, range: '0-1', ifRange: 'date' },
      { header: 'bytes=0-1', status: 200, ifRange: '"other"' },
      { header: 'bytes=0-1', status: 200, ifRange: 'weak' },
      { header: 'bytes=0-1', status: 200, ifRange: 'Thu, 01 Jan 2037 00:00:00 GMT' },
      { header: 'bytes=0-1', status: 200, ifRange: 'Thu, 01 Jan 1998 00:00:00 GMT' },
      { header: 'bytes=0-1', status: 200, ifRange: 'nonsense' },
      { header: 'bytes=0-', status: 416, empty: true },
      { header: 'bytes=-0', status: 416, empty: true },
      { header: 'bytes=-1', status: 200, empty: true },
    ] as { header: string; status: number; range?: string; ifRange?: string; empty?: boolean }[])
    .run(async ({ assert }, { header, status, range, ifRange, empty }) => {
      const whole = empty ? '' : '0123456789'
      const object = await on.put(vault, 'digits.bin', whole, { type: 'application/zip' })
      const known: Record<string, string> = {
        etag: `"${object.etag}"`,
        weak: `W/"${object.etag}"`,
        date: object.modifiedAt.toUTCString(),
      }
      const headers = { Range: header, ...(ifRange && { 'If-Range': known[ifRange] ?? ifRange }) }
      await twice(async () => {
        const got = await on.ask(at('digits.bin'), { headers })
        assert.equal(got.status, status)
        if (status === 200) assert.equal(got.text, whole)
        if (status === 416) {
          assert.equal(got.headers['content-range'], `bytes */${whole.length}`)
          assert.isFalse(JSON.parse(got.text).success)
        }
        if (!range) return
        const [start, end] = range.split('-').map(Number)
        assert.equal(got.headers['content-range'], `bytes ${range}/10`)
        assert.equal(got.text, whole.slice(start, end + 1))
        assert.equal(got.headers['content-length'], String(end - start + 1))
      })
    })

  test('objects that are too large for the cache are read from disk, whole and in ranges', async ({
    assert,
  }) => {
    const bytes = randomBytes(3 * 1024 ** 2 + 17)
    await on.put(vault, 'large.bin', bytes, { type: 'video/mp4' })
    await twice(async () => {
      const whole = await on.ask(at('large.bin'))
      assert.isTrue(whole.body.equals(bytes))
      const range = await on.ask(at('large.bin'), { headers: { Range: 'bytes=1000000-2999999' } })
      assert.equal(range.status, 206)
      assert.isTrue(range.body.equals(bytes.subarray(1_000_000, 3_000_000)))
      const head = await on.ask(at('large.bin'), {
        method: 'HEAD',
        headers: { Range: 'bytes=0-1' },
      })
      assert.equal(head.status, 200)
      assert.equal(head.headers['content-length'], String(bytes.length))
    })
  })

  test('the condition {name}: {value} gets status {status}')
    .with([
      { name: 'If-None-Match', value: 'ETAG', status: 304 },
      { name: 'If-None-Match', value: 'W/ETAG', status: 304 },
      { name: 'If-None-Match', value: '"a", W/"b", ETAG', status: 304 },
      { name: 'If-None-Match', value: '*', status: 304 },
      { name: 'If-None-Match', value: '"a", "b"', status: 200 },
      { name: 'If-None-Match', value: 'nonsense', status: 200 },
      { name: 'If-Modified-Since', value: 'DATE', status: 304 },
      { name: 'If-Modified-Since', value: 'Thu, 01 Jan 2037 00:00:00 GMT', status: 304 },
      { name: 'If-Modified-Since', value: 'Thu, 01 Jan 1998 00:00:00 GMT', status: 200 },
      { name: 'If-Modified-Since', value: '5', status: 200 },
      { name: 'If-Match', value: 'ETAG', status: 200 },
      { name: 'If-Match', value: '*', status: 200 },
      { name: 'If-Match', value: '"a", ETAG', status: 200 },
      { name: 'If-Match', value: 'W/ETAG', status: 412 },
      { name: 'If-Match', value: '"a"', status: 412 },
      { name: 'If-Unmodified-Since', value: 'DATE', status: 200 },
      { name: 'If-Unmodified-Since', value: 'Thu, 01 Jan 1998 00:00:00 GMT', status: 412 },
      { name: 'If-Unmodified-Since', value: 'nonsense', status: 200 },
    ])
    .run(async ({ assert }, { name, value, status }) => {
      const object = await on.put(vault, 'c.txt', 'c')
      const filled = value
        .replace('ETAG', `"${object.etag}"`)
        .replace('DATE', object.modifiedAt.toUTCString())
      for (const method of ['GET', 'GET', 'HEAD']) {
        const got = await on.ask(at('c.txt'), { method, headers: { [name]: filled } })
        assert.equal(got.status, status)
        if (status !== 304) continue
        assert.equal(got.headers.etag, `"${object.etag}"`)
        assert.isDefined(got.headers['cache-control'])
        assert.notProperty(got.headers, 'content-length')
        assert.lengthOf(got.body, 0)
      }
    })

  test('a condition on the ETag takes precedence over one on the date', async ({ assert }) => {
    const object = await on.put(vault, 'both.txt', 'c')
    const date = object.modifiedAt.toUTCString()
    const status = async (headers: Record<string, string>) =>
      (await on.ask(at('both.txt'), { headers })).status
    assert.equal(await status({ 'If-None-Match': '"a"', 'If-Modified-Since': date }), 200)
    const old = 'Thu, 01 Jan 1998 00:00:00 GMT'
    assert.equal(await status({ 'If-Match': `"${object.etag}"`, 'If-Unmodified-Since': old }), 200)
  })

  test('text is compressed for clients that accept it, with an ETag for each encoding', async ({
    assert,
  }) => {
    const object = await on.put(vault, 'book.json', JSON.stringify(text), {
      type: 'application/json',
    })
    const cases = [
      { accept: 'gzip, deflate, br, zstd', coding: 'br', tag: '-br', open: brotliDecompressSync },
      { accept: 'gzip;q=0.5', coding: 'gzip', tag: '-gz', open: gunzipSync },
      { accept: '*', coding: 'br', tag: '-br', open: brotliDecompressSync },
      { accept: 'br;q=0, gzip', coding: 'gzip', tag: '-gz', open: gunzipSync },
      { accept: 'deflate', coding: undefined, tag: '', open: (body: Buffer) => body },
      { accept: 'gzip;q=0', coding: undefined, tag: '', open: (body: Buffer) => body },
    ]
    for (const { accept, coding, tag, open } of [...cases, ...cases]) {
      const headers = { 'Accept-Encoding': accept }
      const got = await on.ask(at('book.json'), { headers })
      assert.equal(got.headers['content-encoding'], coding)
      assert.equal(got.headers.etag, `"${object.etag}${tag}"`)
      assert.equal(got.headers.vary, 'Accept-Encoding')
      assert.equal(open(got.body).toString(), JSON.stringify(text))
      const again = { ...headers, 'If-None-Match': got.headers.etag! }
      const unchanged = await on.ask(at('book.json'), { headers: again })
      assert.equal(unchanged.status, 304)
      assert.equal(unchanged.headers.etag, got.headers.etag)
      const match = { ...headers, 'If-Match': got.headers.etag! }
      assert.equal((await on.ask(at('book.json'), { headers: match })).status, 200)
      const part = { ...headers, Range: 'bytes=0-9', 'If-Range': got.headers.etag! }
      const range = await on.ask(at('book.json'), { headers: part })
      assert.equal(range.status, tag ? 200 : 206)
      assert.notProperty(range.headers, 'content-encoding')
    }
  })

  test('objects that would not get smaller or must not be transformed are not compressed', async ({
    assert,
  }) => {
    const noise = randomBytes(4000)
    await on.put(vault, 'n.txt', noise)
    await on.put(vault, 'short.txt', 'x'.repeat(1023))
    await on.put(vault, 'coded.txt', text, { headers: { contentEncoding: 'gzip' } })
    await on.put(vault, 'told.txt', text, { headers: { cacheControl: 'no-transform' } })
    await on.put(vault, 'pixels.png', text, { type: 'image/png' })
    for (const name of ['n.txt', 'short.txt', 'coded.txt', 'told.txt', 'pixels.png']) {
      await twice(async () => {
        const got = await on.ask(at(name), { headers: { 'Accept-Encoding': 'br, gzip' } })
        assert.equal(got.headers['content-encoding'], name === 'coded.txt' ? 'gzip' : undefined)
        assert.notMatch(got.headers.etag!, /-(br|gz)"/)
      })
    }
    assert.isTrue((await on.ask(at('n.txt'))).body.equals(noise))
  })

  test('types that could run scripts are downloaded instead of displayed: {$self}')
    .with([
      'text/html',
      'TEXT/HTML; charset=utf-8',
      'application/xhtml+xml',
      'image/svg+xml',
      'text/xml',
      'application/xml',
      'application/rss+xml',
      'audio/x+xml',
      'text/x-unknown',
      'application/octet-stream',
      'multipart/x-mixed-replace',
      'image/png, text/html',
      'image/png;a=",text/html;"',
      'nonsense',
      '',
    ])
    .run(async ({ assert }, type) => {
      await on.put(vault, 'run/näme "1".html', '<script>alert(1)</script>', { type })
      await on.put(vault, 'run/2', '<script>alert(1)</script>', {
        type,
        headers: { contentDisposition: 'inline; filename=x.html' },
      })
      await twice(async () => {
        const { headers } = await on.ask(at('run/n%C3%A4me%20%221%22.html'))
        const named = `attachment; filename="n_me _1_.html"; filename*=UTF-8''n%C3%A4me%20%221%22.html`
        assert.equal(headers['content-disposition'], named)
        assert.match(headers['content-security-policy'] as string, /default-src 'none';.*sandbox/)
        assert.equal(headers['x-content-type-options'], 'nosniff')
        assert.notInclude(headers['content-type']!, ',')
        const { headers: second } = await on.ask(at('run/2'))
        assert.match(second['content-disposition']!, /^attachment; filename="2"/)
      })
    })

  test('images, audio, text and similar types are displayed in the browser: {$self}')
    .with([
      'image/png',
      'image/jpeg',
      'image/webp',
      'audio/mpeg',
      'video/mp4',
      'font/woff2',
      'text/plain; charset=utf-8',
      'text/css',
      'text/javascript',
      'application/pdf',
      'application/json',
    ])
    .run(async ({ assert }, type) => {
      await on.put(vault, 'shown', 'x', { type })
      const { headers } = await on.ask(at('shown'))
      assert.equal(headers['content-type'], type)
      assert.notProperty(headers, 'content-disposition')
    })

  test('rejects names with path traversal and other invalid names: {$self}')
    .with([
      '../x',
      'a/../../x',
      '%2e%2e/x',
      '..%2fx',
      '%2E%2E%2Fx',
      'a/%2e/x',
      './x',
      'a//x',
      'a/',
      '%2fetc',
      'x%00.png',
      '%00',
      'x%0d%0aSet-Cookie:a',
      '%7f',
      '%c2%85',
      '%c0%ae%c0%ae/x',
      '%ff',
      '%ed%a0%80',
      'x%',
      'x%2',
      'x%zz',
      'x'.repeat(1025),
      '%C3%BC'.repeat(513),
      '%u002e%u002e/x',
    ])
    .run(async ({ assert }, name) => {
      const { status, headers, text: words } = await on.ask(at(name))
      assert.include([400, 422], status)
      assert.isFalse(JSON.parse(words).success)
      assert.equal(headers['cache-control'], 'no-store')
      assert.notProperty(headers, 'set-cookie')
    })

  test('percent-encoding in a name is decoded exactly once', async ({ assert }) => {
    await on.put(vault, '%2e%2e', 'literally')
    assert.equal((await on.ask(at('%252e%252e'))).text, 'literally')
    for (const name of ['+ & ?#=%', 'x'.repeat(1024), '..a', 'C:\\b', '日本']) {
      await on.put(vault, name, name)
      assert.equal((await on.ask(at(encodeURIComponent(name)))).text, name)
    }
  })

  test('a missing object gets a short response that caches do not store', async ({ assert }) => {
    const [object, other] = [await on.ask(at('nothing')), await on.ask('/nobody/nothing')]
    for (const { status, headers, text: words } of [object, other]) {
      assert.equal(status, 404)
      assert.equal(headers['cache-control'], 'no-store')
      assert.deepEqual(JSON.parse(words), {
        success: false,
        message: 'This object does not exist.',
      })
    }
    for (const path of ['/', '/x', `/${vault.key}`, `/${vault.key}/`, '//x']) {
      assert.equal((await on.ask(path)).status, 404)
    }
    await on.put(vault, 'nothing', 'now')
    assert.equal((await on.ask(at('nothing'))).text, 'now')
    const posted = await on.ask(at('nothing'), { method: 'POST' })
    assert.equal(posted.status, 405)
    assert.include(posted.headers.allow!, 'GET')
  })

  test('the response depends on the vault’s state: suspended, at its limit, or read-only', async ({
    assert,
  }) => {
    const { id, key } = await on.makeVault()
    await on.put({ id }, 'a.txt', 'a')
    const status = async () => (await on.ask(`/${key}/a.txt`)).status
    assert.equal(await status(), 200)
    await on.control.call('changeVault', { id, state: 'suspended' })
    assert.equal(await status(), 403)
    await on.control.call('changeVault', { id, state: 'read_only' })
    assert.equal(await status(), 200)
    await on.control.call('changeVault', { id, state: 'active' })
    await on.serving.database.rows('update vault.vaults set limit_reached = true where id = $1', [
      id,
    ])
    on.serving.generations.bumpVault(id)
    assert.equal(await status(), 429)
  })
})
