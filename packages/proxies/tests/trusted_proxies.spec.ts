import { createTrustedProxyCheck } from '#packages/proxies/trusted_proxies'
import { test } from '@japa/runner'

test.group('Trusted proxies', () => {
  test('this machine and the listed addresses are trusted, and no others', ({ assert }) => {
    const trusted = createTrustedProxyCheck('192.0.2.7, 10.8.0.0/16 2001:db8::/32')
    for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '192.0.2.7', '10.8.255.1']) {
      assert.isTrue(trusted(address), address)
    }
    assert.isTrue(trusted('2001:db8::5'))
    assert.isTrue(trusted('::ffff:10.8.0.1'))
    for (const address of ['192.0.2.8', '10.9.0.1', '2001:db9::1', 'x', '', undefined]) {
      assert.isFalse(trusted(address), String(address))
    }
    assert.isFalse(createTrustedProxyCheck()('10.0.0.1'))
  })

  test('an invalid list throws an error, so that Berth does not start', ({ assert }) => {
    for (const list of ['proxy.example', '10.0.0.0/33', '10.0.0.0/0', '1.2.3.4/8/8', '::/x']) {
      assert.throws(() => createTrustedProxyCheck(list), /TRUSTED_PROXIES has/)
    }
  })
})
