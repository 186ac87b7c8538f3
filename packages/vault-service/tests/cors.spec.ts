import { test } from '@japa/runner'
import { corsHeaders, preflightHeaders } from '../http/cors.js'
import type { CorsRule } from '../types.js'
import { TestServing } from './test_server.js'
import type { CreatedVault } from './test_service.js'

const rules: CorsRule[] = [
  {
    origins: ['https://*.example.com', 'http://localhost:5173'],
    methods: ['GET', 'HEAD'],
    headers: ['X-Own', 'range'],
    exposed: ['ETag'],
    maxAge: 600,
  },
  { origins: ['*'], methods: ['HEAD'], headers: ['*'], exposed: [], maxAge: 0 },
]

test.group('CORS rules', () => {
  const allowed = (origin: string, method = 'GET') =>
    corsHeaders(rules.slice(0, 1), origin, method)['Access-Control-Allow-Origin']

  test('a rule’s origin must match the whole origin', ({ assert }) => {
    for (const origin of [
      'https://a.example.com',
      'https://a.b.example.com',
      'http://localhost:5173',
    ]) {
      assert.equal(allowed(origin), origin)
    }
    for (const origin of [
      'https://example.com',
      'https://.example.com',
      'http://a.example.com',
      'null',
      'https://a.example.com.evil.net',
      'https://evil.net/.example.com',
      'https://a.example.com:1',
      'https://evil.net:1.example.com',
      'https://evil.net#.example.com',
      'http://localhost',
      'http://localhost:51730',
      'https://evil.net\\.example.com',
    ]) {
      assert.isUndefined(allowed(origin), origin)
    }
    assert.isUndefined(allowed('https://a.example.com', 'PUT'))
  })

  test('the first rule that allows the request is used', ({ assert }) => {
    const first = corsHeaders(rules, 'https://a.example.com', 'HEAD')
    assert.equal(first['Access-Control-Allow-Origin'], 'https://a.example.com')
    assert.equal(first['Access-Control-Expose-Headers'], 'ETag')
    const second = corsHeaders(rules, 'https://other.net', 'HEAD')
    assert.equal(second['Access-Control-Allow-Origin'], '*')
    assert.equal(corsHeaders(rules, undefined, 'GET').Vary, 'Origin')
    assert.notProperty(corsHeaders(rules.slice(1), undefined, 'GET'), 'Vary')
  })

  test('a rule for every origin also adds its headers to requests without an origin', ({
    assert,
  }) => {
    const open: CorsRule = { ...rules[1], origins: ['*'], methods: ['GET'] }
    const forImages = corsHeaders([open], undefined, 'GET')
    assert.deepEqual(forImages, corsHeaders([open], 'https://shop.example.com', 'GET'))
    assert.equal(forImages['Access-Control-Allow-Origin'], '*')
    assert.notProperty(corsHeaders([open], undefined, 'PUT'), 'Access-Control-Allow-Origin')
    assert.notProperty(corsHeaders([rules[0]], undefined, 'GET'), 'Access-Control-Allow-Origin')
  })

  test('a preflight request must match a rule’s origin, method and all headers', ({ assert }) => {
    const origin = 'https://a.example.com'
    const found = preflightHeaders(rules, origin, 'GET', 'x-own, RANGE')!
    assert.equal(found['Access-Control-Allow-Headers'], 'x-own, range')
    assert.equal(found['Access-Control-Allow-Methods'], 'GET, HEAD')
    assert.equal(found['Access-Control-Max-Age'], '600')
    assert.isUndefined(preflightHeaders(rules, origin, 'GET', 'x-other'))
    assert.isUndefined(preflightHeaders(rules, origin, 'DELETE'))
    assert.isUndefined(preflightHeaders(rules, 'https://other.net', 'GET'))
    assert.isDefined(preflightHeaders(rules, 'https://other.net', 'HEAD', 'x-any'))
  })
})

test.group('CORS responses', (group) => {
  let on: TestServing
  let vault: CreatedVault
  group.setup(async () => {
    on = await TestServing.start()
    vault = await on.makeVault()
    await on.put(vault, 'a.txt', 'a')
    return () => on.end()
  })
  const Origin = 'https://a.example.com'
  const read = (headers: Record<string, string> = { Origin }) =>
    on.ask(`/${vault.key}/a.txt`, { headers })

  test('without rules, no origin may read responses, and new rules take effect immediately', async ({
    assert,
  }) => {
    const before = await read()
    assert.equal(before.status, 200)
    assert.notProperty(before.headers, 'access-control-allow-origin')
    assert.notProperty(before.headers, 'vary')
    const wanted = { 'Access-Control-Request-Method': 'GET', Origin }
    const ask = () => on.ask(`/${vault.key}/any`, { method: 'OPTIONS', headers: wanted })
    assert.equal((await ask()).status, 403)

    await on.control.call('changeVault', { id: vault.id, cors: rules })
    for (const got of [await read(), await read()]) {
      assert.equal(got.headers['access-control-allow-origin'], Origin)
      assert.equal(got.headers.vary, 'Origin')
    }
    const other = await read({ Origin: 'https://other.net' })
    assert.notProperty(other.headers, 'access-control-allow-origin')
    assert.equal(other.headers.vary, 'Origin')
    assert.equal((await read({})).headers.vary, 'Origin')
    assert.equal((await ask()).status, 204)

    const missing = await on.ask(`/${vault.key}/nothing`, { headers: { Origin } })
    assert.equal(missing.status, 404)
    assert.equal(missing.headers['access-control-allow-origin'], Origin)
  })
})
