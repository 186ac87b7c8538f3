import { test } from '@japa/runner'
import { caddyConfigChunks, type EdgeSettings, type Site } from '../caddy_config.js'
import { toBuffers, jsonChunks } from '../json_chunks.js'

const settings: EdgeSettings = {
  httpPort: 80,
  httpsPort: 443,
  admin: 'unix//run/admin.sock',
  storage: '/s',
  tlsLog: '/l',
  proxyLoopLog: '/p',
  issuer: 'internal',
}

test.group('Serializing JSON in chunks', () => {
  test('the chunks together equal the output of JSON.stringify, and generators become arrays', ({
    assert,
  }) => {
    const value = { a: [1, [], {}, null], 'b"': { c: undefined, d: 'é\n' }, e: false }
    assert.equal([...jsonChunks(value)].join(''), JSON.stringify(value))
    function* items() {
      yield* [{ one: 1 }, 'two']
    }
    function* nothing() {}
    const text = [...jsonChunks({ items: items(), nothing: [nothing()] })].join('')
    assert.deepEqual(JSON.parse(text), { items: [{ one: 1 }, 'two'], nothing: [[]] })
  })

  test('chunks are joined to buffers of the requested size without losing characters', ({
    assert,
  }) => {
    const pieces = Array.from({ length: 1_000 }, (_, index) => `piece ${index} é `)
    const buffers = [...toBuffers(pieces, 100)]
    assert.equal(Buffer.concat(buffers).toString(), pieces.join(''))
    assert.isTrue(buffers.every(({ length }) => length < 200))
  })

  test('the configuration of 20,000 sites has no large chunk', ({ assert }) => {
    const sites = Array.from({ length: 20_000 }, (_, index): Site => {
      return { domain: `site-${index}.example.com`, upstream: '192.0.2.1:80', tls: 'works' }
    })
    let longest = 0
    let length = 0
    for (const { length: size } of caddyConfigChunks(sites, settings, 'many')) {
      longest = Math.max(longest, size)
      length += size
    }
    assert.isAbove(length, 1_000_000)
    assert.isBelow(longest, 1_000)
  })
})

test('every site is in the HTTP server, and those whose HTTPS is wanted or works are also in the HTTPS server', ({
  assert,
}) => {
  const sites = (['none', 'wanted', 'works'] as const).map((tls): Site => ({
    domain: `${tls}.example.com`,
    upstream: '192.0.2.1:80',
    tls,
  }))
  const { apps, ...rest } = JSON.parse([...caddyConfigChunks(sites, settings, 'first')].join(''))
  const names = (routes: { match?: { host: string[] }[] }[]) =>
    routes.map(({ match }) => match?.[0].host[0] ?? null)
  const { berth, plain } = apps.http.servers
  assert.deepEqual(names(berth.routes), ['wanted.example.com', 'works.example.com', null])
  // The first route turns off the access log. The second one logs proxy loops and explains them to visitors.
  assert.deepEqual(plain.routes[1].match, [{ host: ['works.example.com'] }])
  assert.deepEqual(names(plain.routes.slice(2)), [...sites.map(({ domain }) => domain), null])
  assert.deepEqual(apps.tls.automation.policies[0].subjects, names(berth.routes).slice(0, -1))
  assert.equal(rest['@id'], 'first')
  // Without HTTPS sites, the TLS policy has no subjects. Caddy then uses it for all domains.
  const none = JSON.parse([...caddyConfigChunks(sites.slice(0, 1), settings, 'none')].join(''))
  assert.notProperty(none.apps.tls.automation.policies[0], 'subjects')
})
