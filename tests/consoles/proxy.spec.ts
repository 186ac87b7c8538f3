import { ownConsole } from '#tests/support/own_console'
import { rules } from '#identity/actions/limits'
import { freshEmail, Visitor } from '#tests/support/people'
import { test } from '@japa/runner'

test.group('Behind a proxy on another machine', () => {
  test('limits count the address that the proxy names, and no forged one', async ({
    assert,
    cleanup,
  }) => {
    const console = await ownConsole({ TRUSTED_PROXIES: '10.9.9.0/24' })
    cleanup(() => console.stop())
    const { requests } = rules.check.network
    /** Asks until it is one too many; answers how often it was heard. */
    const heard = async (forwarded: (turn: number) => string) => {
      for (let turn = 0; turn <= requests + 1; turn++) {
        const visitor = new Visitor(console.url)
        visitor.ip = forwarded(turn)
        const { status } = await visitor.post('/check-mail', { email: freshEmail() })
        if (status === 429) return turn
      }
      return Infinity
    }
    // One person behind the proxy is stopped; the next one is not.
    assert.equal(await heard(() => '203.0.113.5, 10.9.9.9'), requests)
    assert.equal(await heard((turn) => `203.0.113.${turn + 10}, 10.9.9.9`), Infinity)
    // Whoever is no proxy of ours may say what it likes: it counts itself.
    assert.equal(await heard((turn) => `203.0.113.${turn + 10}, 198.51.100.1`), requests)
  }).timeout(300_000)
})
