import { domainName } from '#compute/edge/names'
import { test } from '@japa/runner'

test.group('Domain names', () => {
  test('are taken as DNS writes them', ({ assert }) => {
    assert.equal(domainName(' Shop.Example.COM. '), 'shop.example.com')
    assert.equal(domainName('bücher.example'), 'xn--bcher-kva.example')
  })

  for (const text of [
    '',
    'localhost',
    '127.0.0.1',
    '*.example.com',
    'a b.example.com',
    'a.example.com\n} respond',
    'a.example.com}',
    'http://a.example.com',
    '-a.example.com',
    `${'a'.repeat(64)}.example.com`,
    `${'a.'.repeat(130)}com`,
    '../etc.example.com',
  ]) {
    test(`refuse ${JSON.stringify(text).slice(0, 40)}`, ({ assert }) => {
      assert.isNull(domainName(text))
    })
  }
})
