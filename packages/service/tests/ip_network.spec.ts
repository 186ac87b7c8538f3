import { test } from '@japa/runner'
import { isLoopback, rateLimitNetwork } from '../ip_network.js'

test.group('Networks of rate limits', () => {
  const SPELLINGS: Record<string, string[]> = {
    '2001:db8:0:7': [
      '2001:db8:0:7::1',
      '2001:DB8:0:7::1',
      '2001:0db8:0000:0007:0:0:0:2',
      '2001:db8::7:1:2:3:4',
      '2001:db8:0:7:ffff:ffff:ffff:ffff',
      '2001:db8:0:7::1%eth0',
    ],
    '2001:db8:0:0': ['2001:db8::', '2001:db8::1', '2001:db8::dead:beef', '2001:db8::192.0.2.1'],
    'fe80:0:0:0': ['fe80::1', 'fe80::2%eth0', 'FE80::aa%3'],
    '0:0:0:0': ['::', '::1', '::192.0.2.1'],
    '192.0.2.1': ['192.0.2.1', '::ffff:192.0.2.1', '::FFFF:c000:201', '0:0:0:0:0:ffff:192.0.2.1'],
    unknown: ['unknown'],
    '': [''],
    '1:2:3::4::5': ['1:2:3::4::5'],
  }

  test('{0} is the same network in every spelling')
    .with(Object.entries(SPELLINGS))
    .run(({ assert }, [network, addresses]) => {
      for (const address of addresses) assert.equal(rateLimitNetwork(address), network, address)
    })

  test('loopback addresses are recognized in every spelling, and no others', ({ assert }) => {
    const own = [
      '127.0.0.1',
      '127.8.0.1',
      '::1',
      '0:0:0:0:0:0:0:1',
      '::ffff:127.0.0.1',
      '::FFFF:7f00:1',
    ]
    for (const address of own) assert.isTrue(isLoopback(address), address)
    for (const address of ['::', '128.0.0.1', '127.evil.test', '127.', '::127.0.0.1', '1::1', '']) {
      assert.isFalse(isLoopback(address), address)
    }
  })
})
