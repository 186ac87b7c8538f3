import { eventually } from '#tests/support/eventually'
import { test } from '@japa/runner'
import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { appendFile } from 'node:fs/promises'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { connect, type Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { Agent, request } from 'undici'
import {
  readEdgeCertificateDates,
  CaddyAdminError,
  readLastProxyLoops,
  readLastTlsErrors,
  readLocalCaCertificate,
  probeSite,
} from '../main.js'
import { EDGE_ERROR_HEADER, MAX_UPSTREAM_REQUESTS } from '../caddy_config.js'
import { startCaddy } from './caddy.js'

const missing = spawnSync('caddy', ['version']).status !== 0

function selfSigned(folder: string): { key: Buffer; cert: Buffer } {
  const files = { key: `${folder}/key.pem`, cert: `${folder}/cert.pem` }
  const request = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=x'
  const argv = [...request.split(' '), '-keyout', files.key, '-out', files.cert]
  execFileSync('openssl', argv, { stdio: 'ignore' })
  return { key: readFileSync(files.key), cert: readFileSync(files.cert) }
}

// Requests without their own dispatcher use `reset: true`, so that each opens a new connection. Caddy closes idle
// connections when it loads a configuration.
test.group('Edge', (group) => {
  let caddy: Awaited<ReturnType<typeof startCaddy>>
  const upstreams: Server[] = []

  async function upstream(words: string): Promise<string> {
    const server = createServer((_, response) => response.end(words))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    upstreams.push(server)
    return `127.0.0.1:${(server.address() as { port: number }).port}`
  }

  async function fetched(
    domain: string,
    { tries = 600 } = {}
  ): Promise<{ status: number; body: string; to?: string | string[] }> {
    const dispatcher = new Agent({
      connect: {
        ca: await readLocalCaCertificate(caddy.settings),
        servername: domain,
        lookup: (_name, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
      },
    })
    try {
      for (let tried = 0; ; tried++) {
        try {
          const url = `https://${domain}:${caddy.settings.httpsPort}/`
          const answer = await request(url, { dispatcher })
          const { statusCode: status, headers } = answer
          return { status, body: await answer.body.text(), to: headers.location }
        } catch (error) {
          // Retries, because Caddy obtains the certificate of a new site in the background.
          if (tried >= tries) throw error
          await new Promise((resolve) => setTimeout(resolve, 200))
        }
      }
    } finally {
      await dispatcher.close()
    }
  }

  group.setup(async () => {
    caddy = await startCaddy()
    return () => caddy.stop()
  })
  group.teardown(() => {
    for (const server of upstreams) server.close()
  })

  test('serves configured names over HTTPS with a certificate of its own authority, and no other names', async ({
    assert,
  }) => {
    const [shop, blog] = [await upstream('the shop'), await upstream('the blog')]
    const sites = [
      { domain: 'shop.example.test', upstream: shop, tls: 'works' as const },
      { domain: 'blog.example.test', upstream: blog, tls: 'works' as const },
    ]
    await caddy.edge.serve(sites, caddy.settings, 'both')
    assert.isTrue(await caddy.edge.serves('both'))
    assert.include(await fetched('shop.example.test'), { status: 200, body: 'the shop' })
    assert.include(await fetched('blog.example.test'), { status: 200, body: 'the blog' })
    const names = ['shop.example.test', 'other.example.test']
    const certificates = await readEdgeCertificateDates(names, caddy.settings)
    assert.deepEqual([...certificates.keys()], ['shop.example.test'])
    assert.isAbove(certificates.get('shop.example.test')!.until.getTime(), Date.now())

    await caddy.edge.serve(sites.slice(1), caddy.settings, 'one')
    assert.isFalse(await caddy.edge.serves('both'))
    assert.include(await fetched('blog.example.test'), { status: 200, body: 'the blog' })
    // Caddy now responds to the removed site with 404. Once it has also dropped the certificate, it closes the
    // connection.
    const gone = await fetched('shop.example.test', { tries: 0 }).catch(() => ({ status: 0 }))
    assert.include([0, 404], gone.status)
  }).skip(missing, 'Caddy is not installed')

  test('keeps serving the previous configuration after Caddy rejects a new one', async ({
    assert,
  }) => {
    const sites = [
      {
        domain: 'stays.example.test',
        upstream: await upstream('still here'),
        tls: 'works' as const,
      },
    ]
    await caddy.edge.serve(sites, caddy.settings)
    assert.equal((await fetched('stays.example.test')).body, 'still here')
    const refusal = await caddy.edge
      .serve([], { ...caddy.settings, httpsPort: 99_999_999 })
      .catch((error) => error)
    assert.instanceOf(refusal, CaddyAdminError)
    assert.equal(refusal.kind, 'refused')
    assert.isAbove(refusal.message.length, 5)
    assert.equal((await fetched('stays.example.test')).body, 'still here')
  }).skip(missing, 'Caddy is not installed')

  test('returns 508 with an explanation to a proxy that ends TLS and connects by HTTP', async ({
    assert,
  }) => {
    const sites = [
      { domain: 'flexible.example.test', upstream: await upstream('site'), tls: 'works' as const },
      { domain: 'plain.example.test', upstream: await upstream('plain'), tls: 'none' as const },
    ]
    await caddy.edge.serve(sites, caddy.settings)
    const statusOf = async (host: string, headers: Record<string, string>) => {
      const url = `http://127.0.0.1:${caddy.settings.httpPort}/`
      const { statusCode, body } = await request(url, {
        headers: { ...headers, host },
        reset: true,
      })
      const text = await body.text()
      if (statusCode === 508) assert.include(text, 'set the proxy to connect over HTTPS')
      return statusCode
    }
    const httpsVisitors: [string, string][] = [
      ['CF-Visitor', '{"scheme":"https"}'],
      ['X-Forwarded-Proto', 'https'],
      ['x-forwarded-proto', 'https, http'],
      ['X-Forwarded-Ssl', 'on'],
      ['X-Forwarded-Scheme', 'https'],
      ['CloudFront-Forwarded-Proto', 'https'],
      ['Front-End-Https', 'on'],
      ['Forwarded', 'for=192.0.2.60;proto=https;by=203.0.113.43'],
    ]
    for (const [name, value] of httpsVisitors) {
      const headers = { [name]: value }
      assert.equal(await statusOf('flexible.example.test', headers), 508, name)
      assert.equal(await statusOf('plain.example.test', headers), 200, name)
      assert.equal(await statusOf('other.example.test', headers), 404, name)
    }
    // The log contains these requests, but no data about visitors. Caddy writes the log entry after the response.
    const entries = await eventually(() => {
      const lines = readFileSync(caddy.settings.proxyLoopLog, 'utf8').trim().split('\n')
      assert.lengthOf(lines, httpsVisitors.length)
      return lines
    })
    assert.notMatch(entries.join(), /127\.0\.0\.1|X-Forwarded|192\.0\.2\.60/i)
    const loops = await readLastProxyLoops(caddy.settings.proxyLoopLog)
    assert.deepEqual([...loops.keys()], ['flexible.example.test'])
    assert.closeTo(loops.get('flexible.example.test')!.getTime(), Date.now(), 60_000)
    assert.equal(await statusOf('flexible.example.test', {}), 308)
    assert.equal(await statusOf('flexible.example.test', { 'X-Forwarded-Proto': 'http' }), 308)
    assert.equal(
      await statusOf('flexible.example.test', { 'CF-Visitor': '{"scheme":"http"}' }),
      308
    )
  }).skip(missing, 'Caddy is not installed')

  test('a domain name that contains Caddy’s configuration syntax does not change the configuration', async ({
    assert,
  }) => {
    const evil = 'x.test } respond "owned" {'
    await caddy.edge
      .serve([{ domain: evil, upstream: await upstream('evil'), tls: 'wanted' }], caddy.settings)
      .catch((error) => assert.instanceOf(error, CaddyAdminError))
    const sites = [
      { domain: 'after.example.test', upstream: await upstream('after'), tls: 'wanted' as const },
    ]
    await caddy.edge.serve(sites, caddy.settings)
    assert.equal((await fetched('after.example.test')).body, 'after')
  }).skip(missing, 'Caddy is not installed')

  test('serves a site only over HTTP until its HTTPS works, and redirects HTTP to HTTPS afterwards', async ({
    assert,
  }) => {
    const domain = 'early.example.test'
    const site = { domain, upstream: await upstream('early') }
    const plain = async () => {
      const { statusCode, headers, body } = await request(
        `http://127.0.0.1:${caddy.settings.httpPort}/a?b=c`,
        { headers: { host: domain }, reset: true }
      )
      return { status: statusCode, to: headers.location, body: await body.text() }
    }
    const served = { status: 200, to: undefined, body: 'early' }
    await caddy.edge.serve([{ ...site, tls: 'none' }], caddy.settings)
    assert.deepEqual(await plain(), served)
    assert.equal((await probeSite(domain, caddy.settings)).kind, 'no_certificate')

    await caddy.edge.serve([{ ...site, tls: 'wanted' }], caddy.settings)
    assert.equal((await fetched(domain)).body, 'early')
    assert.deepEqual(await plain(), served)

    await caddy.edge.serve([{ ...site, tls: 'works' }], caddy.settings)
    const to = `https://${domain}:${caddy.settings.httpsPort}/a?b=c`
    assert.deepEqual(await plain(), { status: 308, to, body: '' })
  }).skip(missing, 'Caddy is not installed')

  test('redirects additional domains to the main domain, and HTTP to HTTPS unless the site has `keepsHttp`', async ({
    assert,
  }) => {
    const shop = await upstream('the shop')
    const [main, other] = ['main.example.test', 'www.main.example.test']
    const { httpPort, httpsPort } = caddy.settings
    const serve = (keepsHttp: boolean) => {
      const site = { upstream: shop, tls: 'works' as const, keepsHttp }
      const sites = [
        { ...site, domain: main },
        { ...site, domain: other, redirectTo: main },
      ]
      return caddy.edge.serve(sites, caddy.settings)
    }
    const plain = async (host: string) => {
      const url = `http://127.0.0.1:${httpPort}/a?b=%2F`
      const answer = await request(url, { headers: { host }, reset: true })
      await answer.body.dump()
      return [answer.statusCode, answer.headers.location]
    }
    const secure = `https://${main}:${httpsPort}/a?b=%2F`

    await serve(false)
    assert.deepEqual(await plain(main), [308, secure])
    assert.deepEqual(await plain(other), [308, secure])
    assert.deepEqual(await fetched(other), {
      status: 308,
      body: '',
      to: `https://${main}:${httpsPort}/`,
    })
    assert.deepEqual(await fetched(main), { status: 200, body: 'the shop', to: undefined })

    await serve(true)
    assert.deepEqual(await plain(main), [200, undefined])
    assert.deepEqual(await plain(other), [308, `http://${main}/a?b=%2F`])
    assert.equal((await fetched(other)).status, 308)
    const flexible = { host: main, 'cf-visitor': '{"scheme":"https"}' }
    const answer = await request(`http://127.0.0.1:${httpPort}/`, {
      headers: flexible,
      reset: true,
    })
    assert.equal(await answer.body.text(), 'the shop')
  }).skip(missing, 'Caddy is not installed')

  test('forwards HTTPS requests by TLS if the site supports it, with the site’s name as SNI and Host', async ({
    assert,
  }) => {
    const domain = 'inner.example.test'
    const site = createTlsServer(selfSigned(caddy.folder), ({ headers, socket }, response) =>
      response.end(`${headers.host} ${(socket as TLSSocket).servername}`)
    )
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
    upstreams.push(site)
    const { port } = site.address() as { port: number }
    const addresses = { upstream: await upstream('plain'), tlsUpstream: `127.0.0.1:${port}` }
    await caddy.edge.serve([{ domain, ...addresses, tls: 'wanted' }], caddy.settings)
    const { body } = await fetched(domain)
    assert.equal(body, `${domain}:${caddy.settings.httpsPort} ${domain}`)
    const plain = await request(`http://127.0.0.1:${caddy.settings.httpPort}/`, {
      reset: true,
      headers: { host: domain },
    })
    assert.equal(await plain.body.text(), 'plain')
  }).skip(missing, 'Caddy is not installed')

  test('marks its own error pages by a header, and passes a site’s own error pages unchanged', async ({
    assert,
  }) => {
    const failing = createServer((_, response) => response.writeHead(502).end())
    await new Promise<void>((resolve) => failing.listen(0, '127.0.0.1', resolve))
    upstreams.push(failing)
    const { port } = failing.address() as { port: number }
    const [site, gone] = ['failing.example.test', 'gone.example.test']
    const sites = [
      { domain: site, upstream: `127.0.0.1:${port}`, tls: 'wanted' as const },
      { domain: gone, upstream: '127.0.0.1:1', tls: 'wanted' as const },
    ]
    await caddy.edge.serve(sites, caddy.settings)
    await Promise.all([fetched(site), fetched(gone)])
    const answered = await probeSite(site, caddy.settings)
    assert.deepInclude(answered, { kind: 'answered', status: 502 })
    assert.equal((await probeSite(gone, caddy.settings)).kind, 'no_answer')
    // With the issuer `acme`, the probe does not trust Caddy's own authority.
    const others = await probeSite(site, { ...caddy.settings, issuer: 'acme' })
    assert.equal(others.kind, 'no_certificate')
  }).skip(missing, 'Caddy is not installed')

  test('a site that never responds can hold only a limited number of requests, and other sites respond', async ({
    assert,
  }) => {
    const stuck: ServerResponse[] = []
    let isStuck = true
    const site = createServer((_, response) => {
      if (isStuck) stuck.push(response)
      else response.end('recovered')
    })
    site.on('upgrade', (_, socket: Socket) => {
      socket.write('HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
    })
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
    upstreams.push(site)
    const { port } = site.address() as { port: number }
    const [attacked, sibling, other] = ['attacked', 'sibling', 'other'].map(
      (name) => `${name}.example.test`
    )
    const sites = [
      { domain: attacked, upstream: `127.0.0.1:${port}`, tls: 'none' as const },
      { domain: sibling, upstream: `127.0.0.1:${port}`, tls: 'none' as const },
      { domain: other, upstream: await upstream('other'), tls: 'none' as const },
    ]
    await caddy.edge.serve(sites, caddy.settings)
    const dispatcher = new Agent()
    const ask = async (host: string, headersTimeout = 60_000) => {
      const url = `http://127.0.0.1:${caddy.settings.httpPort}/`
      const answer = await request(url, { dispatcher, headers: { host }, headersTimeout })
      return { status: answer.statusCode, body: await answer.body.text(), headers: answer.headers }
    }
    const socket = connect(caddy.settings.httpPort, '127.0.0.1')
    try {
      socket.write(
        `GET / HTTP/1.1\r\nHost: ${attacked}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`
      )
      const [first] = (await once(socket, 'data')) as [Buffer]
      assert.match(first.toString(), /^HTTP\/1\.1 101 /)
      for (let opened = 1; opened < MAX_UPSTREAM_REQUESTS; opened++)
        void ask(attacked, 0).catch(() => undefined)
      while (stuck.length < MAX_UPSTREAM_REQUESTS - 1)
        await new Promise((resolve) => setTimeout(resolve, 50))
      for (const host of [attacked, sibling]) {
        const { status, body, headers } = await ask(host)
        assert.equal(status, 503)
        assert.match(body, /too many other requests/)
        assert.equal(headers[EDGE_ERROR_HEADER.toLowerCase()], '503')
      }
      assert.lengthOf(stuck, MAX_UPSTREAM_REQUESTS - 1)
      assert.include(await ask(other), { status: 200, body: 'other' })
      isStuck = false
      for (const response of stuck) response.end()
      await eventually(async () => assert.include(await ask(sibling), { body: 'recovered' }))
    } finally {
      socket.destroy()
      await dispatcher.destroy()
    }
  }).skip(missing, 'Caddy is not installed')

  test('reads the last TLS error of each name from the log, and ignores incomplete lines', async ({
    assert,
  }) => {
    const file = `${caddy.folder}/log`
    await appendFile(file, '{"ts":1,"msg":"first","identifier":"a.test","error":"no DNS"}\n')
    await appendFile(
      file,
      '{"ts":2,"msg":"then","identifier":"a.test","error":"refused"}\n{"ts":3,'
    )
    const errors = await readLastTlsErrors(file)
    assert.deepEqual([...errors], [['a.test', { at: new Date(2_000), message: 'refused' }]])
  }).skip(missing, 'Caddy is not installed')
})
