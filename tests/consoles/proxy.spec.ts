import { eventually } from '#tests/support/eventually'
import { type IsolatedConsole, startIsolatedConsole } from '#tests/support/isolated_console'
import { attemptLimits } from '#identity/actions/attempt_limits'
import { freshEmail, Visitor } from '#tests/support/people'
import { test } from '@japa/runner'

test.group('Console behind a proxy on another machine', (group) => {
  let console: IsolatedConsole

  group.setup(async () => {
    console = await startIsolatedConsole({ TRUSTED_PROXIES: '10.9.9.0/24' })
    return () => console.stop()
  })

  test('rate limits use the address that a trusted proxy reports, and ignore forged ones', async ({
    assert,
  }) => {
    const { requests } = attemptLimits.check.network
    /**
     * Sends requests until the rate limit rejects one. Returns the number of accepted ones, or Infinity if none was
     * rejected.
     */
    const heard = async (forwarded: (turn: number) => string) => {
      for (let turn = 0; turn <= requests + 1; turn++) {
        const visitor = new Visitor(console.url)
        visitor.ip = forwarded(turn)
        const { status } = await visitor.post('/check-mail', { email: freshEmail() })
        if (status === 429) return turn
      }
      return Infinity
    }
    // The limit counts requests per visitor's address. Another address behind the same proxy is not limited.
    assert.equal(await heard(() => '203.0.113.5, 10.9.9.9'), requests)
    assert.equal(await heard((turn) => `203.0.113.${turn + 10}, 10.9.9.9`), Infinity)
    // This proxy is not trusted, so the addresses that it reports are ignored, and its own address is limited.
    assert.equal(await heard((turn) => `203.0.113.${turn + 10}, 198.51.100.1`), requests)
  }).timeout(1_200_000)

  test('a frozen PostgreSQL is reported within seconds, and used again without a restart', async ({
    assert,
  }) => {
    const visitor = new Visitor(console.url)
    const ask = async (path: string) => {
      const began = Date.now()
      const response = await fetch(console.url + path, { headers: { accept: 'text/html' } })
      return { status: response.status, text: await response.text(), ms: Date.now() - began }
    }
    // Makes the console open a database connection.
    assert.equal((await ask('/services')).status, 200)
    await console.freeze()
    try {
      const began = Date.now()
      // These requests need the database. They wait until the health check finds that PostgreSQL does not respond.
      const [health, ...looked] = await Promise.all([
        ask('/health'),
        ...[1, 2, 3].map(() => visitor.post('/check-mail', { email: freshEmail() })),
      ])
      assert.equal(health.status, 503)
      for (const { status, json } of looked) {
        assert.equal(status, 503)
        assert.match(json.message!, /is restarting/)
      }
      assert.isBelow(Date.now() - began, 60_000)
      assert.equal((await ask('/health/live')).status, 200)
      const again = await ask('/services')
      assert.equal(again.status, 503)
      assert.match(again.text, /is restarting/)
      // Without the health check's finding, the request would wait longer than this.
      assert.isBelow(again.ms, 4_000)
    } finally {
      await console.thaw()
    }
    await eventually(async () => {
      for (const path of ['/health', '/services']) assert.equal((await ask(path)).status, 200)
    })
    assert.isTrue(console.alive())
  })
})
