import { bodyLimit, largeBodyRoutes, MAX_VALUES } from '#config/bodyparser'
import { freshEmail, makeCustomer, signIn } from '#tests/support/people'
import router from '@adonisjs/core/services/router'
import { test } from '@japa/runner'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { Agent } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'

const base = `http://127.0.0.1:${process.env.PORT}`
const form = 'application/x-www-form-urlencoded'
const json = 'application/json'
const boundary = 'x'
const parts = `multipart/form-data; boundary=${boundary}`

interface Attack {
  title: string
  status: number
  type: string
  body: Buffer | string
  path?: string
  headers?: Record<string, string>
}

const part = (headers: string, text = '1') => `--${boundary}\r\n${headers}\r\n\r\n${text}\r\n`
const field = (name: string, text = '1') =>
  part(`content-disposition: form-data; name="${name}"`, text)
const whole = (...all: string[]) => `${all.join('')}--${boundary}--\r\n`

const LARGE_BODY_PATH = '/file-manager/update-file'
const UPLOAD_PATH = '/chat-file/upload'
const zeros = Buffer.alloc(50 * 1024 * 1024, '0,')

const attacks: Attack[] = [
  {
    title: 'an array of 2.9 million elements',
    status: 413,
    type: json,
    body: `[${'1,'.repeat(2_900_000)}1]`,
  },
  {
    title: 'that array where texts of 2 MB are legal',
    status: 413,
    type: json,
    body: `[${'1,'.repeat(2_900_000)}1]`,
    path: LARGE_BODY_PATH,
  },
  {
    title: 'objects in that route',
    status: 413,
    type: json,
    body: `[${'{},'.repeat(1_500_000)}{}]`,
    path: LARGE_BODY_PATH,
  },
  {
    title: 'brackets without an end',
    status: 422,
    type: json,
    body: '['.repeat(5_000_000),
    path: LARGE_BODY_PATH,
  },
  {
    title: 'a small array of too many elements',
    status: 413,
    type: json,
    body: `[${'1,'.repeat(MAX_VALUES)}1]`,
  },
  {
    title: 'objects in objects',
    status: 422,
    type: json,
    body: `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`,
  },
  { title: '__proto__', status: 422, type: json, body: '{"__proto__":{"admin":true}}' },
  { title: 'broken JSON', status: 400, type: json, body: '{"a":' },
  { title: 'a million fields of a form', status: 413, type: form, body: 'a[]=&'.repeat(1_000_000) },
  { title: 'small fields of a form', status: 413, type: form, body: 'a[]=&'.repeat(10_000) },
  { title: 'deep fields of a form', status: 422, type: form, body: `a${'[b]'.repeat(10_000)}=1` },
  { title: 'a million parts', status: 413, type: parts, body: whole(field('a').repeat(300_000)) },
  {
    title: 'a thousand small parts',
    status: 413,
    type: parts,
    body: whole(part('a:b', '').repeat(1_100)),
    path: UPLOAD_PATH,
  },
  {
    title: 'a header of a part of 8 MB',
    status: 413,
    type: parts,
    body: whole(part(`a: ${'b'.repeat(8_000_000)}`)),
    path: UPLOAD_PATH,
  },
  {
    title: 'a name of a header of 8 MB',
    status: 413,
    type: parts,
    body: whole(part(`${'b'.repeat(8_000_000)}: a`)),
    path: UPLOAD_PATH,
  },
  {
    title: 'a million headers of a part',
    status: 413,
    type: parts,
    body: whole(part('a:b\r\n'.repeat(1_000_000))),
    path: UPLOAD_PATH,
  },
  {
    title: 'file names that begin again and again',
    status: 413,
    type: parts,
    body: whole(part(`content-disposition: form-data; ${'filename="'.repeat(6_000)}`)),
    path: UPLOAD_PATH,
  },
  {
    title: 'a file name that cannot be decoded',
    status: 422,
    type: parts,
    body: whole(part("content-disposition: form-data; name=file; filename*=utf-8''%")),
    path: UPLOAD_PATH,
  },
  {
    title: 'an array with a huge index',
    status: 422,
    type: parts,
    body: whole(field('a[4000000000]')),
  },
  {
    title: 'a huge index behind a dot',
    status: 422,
    type: parts,
    body: whole(field('a.4000000000')),
  },
  {
    title: 'spaces in the type',
    status: 415,
    type: `multipart/form-data;${' '.repeat(14_000)}x`,
    body: whole(field('a')),
  },
  {
    title: 'a gzip bomb',
    status: 413,
    type: json,
    body: gzipSync(zeros),
    headers: { 'content-encoding': 'gzip' },
  },
  {
    title: 'a deflate bomb',
    status: 413,
    type: json,
    body: deflateSync(zeros),
    headers: { 'content-encoding': 'deflate' },
  },
  {
    title: 'a brotli bomb',
    status: 413,
    type: form,
    body: brotliCompressSync(zeros),
    headers: { 'content-encoding': 'br' },
  },
  {
    title: 'gzip in gzip',
    status: 415,
    type: json,
    body: gzipSync(gzipSync(zeros)),
    headers: { 'content-encoding': 'gzip, gzip' },
  },
  {
    title: 'gzip that is none',
    status: 400,
    type: json,
    body: 'x'.repeat(100),
    headers: { 'content-encoding': 'gzip' },
  },
  {
    title: 'a header of 1 MB',
    status: 431,
    type: json,
    body: '{}',
    headers: { 'x-long': 'x'.repeat(1_000_000) },
  },
  {
    title: 'an address of 1 MB',
    status: 431,
    type: json,
    body: '{}',
    path: `/login?${'a[b]'.repeat(250_000)}=1`,
  },
  {
    title: 'a cookie of 1 MB',
    status: 431,
    type: json,
    body: '{}',
    headers: { cookie: 'a=b;'.repeat(250_000) },
  },
]

async function send(attack: Attack, chunked: boolean, cookie: string): Promise<IncomingMessage> {
  const { path = '/login', type, headers, body } = attack
  const call = request(base + path, {
    method: 'POST',
    agent: false,
    headers: { cookie, ...headers, 'content-type': type, accept: json },
  })
  const answered = once(call, 'response')
  call.on('error', () => {})
  if (!chunked) call.setHeader('content-length', Buffer.byteLength(body))
  call.write(body)
  call.end()
  const [response] = (await answered) as [IncomingMessage]
  response.resume()
  return response
}

test.group('Request bodies', () => {
  for (const chunked of [false, true]) {
    test(`bodies that grow while they are parsed are rejected, sent ${chunked ? 'in chunks' : 'with Content-Length'}`, async ({
      assert,
    }) => {
      const { cookie } = await signIn(await makeCustomer())
      for (const attack of attacks) {
        const { statusCode } = await send(
          attack,
          chunked,
          attack.path === UPLOAD_PATH ? cookie : ''
        )
        assert.equal(statusCode, attack.status, attack.title)
      }
    }).timeout(600_000)
  }

  test('endless bodies are rejected while they are sent', async ({ assert }) => {
    const agent = new Agent({ maxSockets: 1 })
    for (const type of [json, form, parts]) {
      const call = request(`${base}/login`, {
        method: 'POST',
        agent,
        headers: { 'content-type': type, accept: json },
      })
      call.on('error', () => {})
      const answered = once(call, 'response')
      const start = part(
        'content-disposition: form-data; name="a"; filename="a"',
        'x'.repeat(65_536)
      )
      call.write(type === parts ? start : 'x'.repeat(65_537))
      const [response] = (await answered) as [IncomingMessage]
      assert.equal(response.statusCode, 413, type)
      assert.equal(
        (JSON.parse((await buffer(response)).toString()) as { code: string }).code,
        'too_large'
      )
      call.destroy()
    }
  })

  test('the routes that accept larger bodies exist, and other routes do not accept them', async ({
    assert,
  }) => {
    const routes = Object.values(router.toJSON()).flat()
    const known = new Set(
      routes.filter(({ methods }) => methods.includes('POST')).map(({ pattern }) => pattern)
    )
    for (const pattern of largeBodyRoutes) {
      assert.isTrue(known.has(pattern), pattern)
      assert.isAbove(bodyLimit(pattern), bodyLimit('/login'))
    }
    assert.equal(bodyLimit('constructor'), bodyLimit('/login'))
    const visitor = await signIn(await makeCustomer())
    const { status } = await visitor.post('/live-support/send-message', {
      text: '\u{20ac}'.repeat(10_000),
    })
    assert.notEqual(status, 413)
    const exceptions = Array.from({ length: 500 }, () => 'x'.repeat(4_096))
    const unzip = await visitor.post('/file-manager/unzip-file', { exceptions })
    assert.equal(unzip.status, 422)
  })

  test('form fields are read from JSON, URL-encoded and multipart bodies', async ({
    assert,
    client,
  }) => {
    const email = freshEmail('bodies')
    for (const type of ['json', 'form', 'fields'] as const) {
      const response = await client
        .post('/login')
        .accept('json')
        [type]({ email, password: 'not the password' })
      assert.equal(response.status(), 422, type)
      assert.notProperty((response.body() as { errors: object }).errors, 'password', type)
    }
  })
})
