import { test } from '@japa/runner'
import { WrongKeyLimiter } from '../http/wrong_key_limiter.js'

test.group('Rate limit of wrong keys', () => {
  test('allows twenty wrong keys a minute, then blocks the address until the minute ends', ({
    assert,
  }) => {
    let now = Date.parse('2026-01-01T00:00:59Z')
    const shared = new SharedArrayBuffer(WrongKeyLimiter.bytes)
    const threads = [1, 2].map(() => new WrongKeyLimiter(shared, 'salt', () => now))
    for (let at = 0; at < 20; at++) {
      assert.equal(threads[0].wait('a'), 0)
      threads[at % 2].count('a')
      now += 1_000
    }
    assert.equal(threads[1].wait('a'), 40)
    assert.equal(threads[1].wait('b'), 0)
    threads[0].count('a')
    assert.equal(threads[0].wait('a'), 40, 'trying on does not make it longer')
    now += 39_000
    assert.equal(threads[0].wait('a'), 1)
    now += 1_000
    assert.equal(threads[0].wait('a'), 0)
    threads[0].count('a')
    assert.equal(threads[1].wait('a'), 0)
  })

  test('attempts that are old, or from before the clock was set back, do not count', ({
    assert,
  }) => {
    // The seconds in a slot are stored modulo 2^24. Starts 5 s before they overflow.
    let now = (2 ** 24 * 107 - 5) * 1_000
    const wrong = new WrongKeyLimiter(undefined, '', () => now)
    for (let at = 0; at < 20; at++) wrong.count('a')
    now += 10_000
    assert.equal(wrong.wait('a'), 50)
    now += 86_400_000
    assert.equal(wrong.wait('a'), 0)
  })
})
