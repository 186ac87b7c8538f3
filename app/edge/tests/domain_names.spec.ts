import { normalizeDomainName, findDomainNameProblem } from '#edge/domain_names'
import { test } from '@japa/runner'

test.group('Domain names', () => {
  test('are normalized to lower case and IDNA form', ({ assert }) => {
    assert.equal(normalizeDomainName(' Shop.Example.COM. '), 'shop.example.com')
    assert.equal(normalizeDomainName('bücher.example'), 'xn--bcher-kva.example')
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
    'printer.local',
    'db.internal',
    'app.localhost',
    'co.uk',
    'github.io',
    '[2001:db8::1]',
    '2001:db8::1',
    'a..example.com',
  ]) {
    test(`cannot be ${JSON.stringify(text).slice(0, 40)}`, ({ assert }) => {
      assert.isNull(normalizeDomainName(text))
      assert.isNotNull(findDomainNameProblem(text))
    })
  }

  for (const [text, words] of [
    ['https://shop.example.com/', /more than a domain\. Leave out/],
    ['*.example.com', /is a wildcard/],
    ['203.0.113.9', /is an IP address/],
    ['shop', /is not a full domain name/],
    ['shop_1.example.com', /letters, digits, dots and -/],
    ['-shop.example.com', /begins or ends with -/],
    ['co.uk', /is a public suffix/],
    ['nas.local', /only in private networks/],
  ] as [string, RegExp][]) {
    test(`have an error message for ${text}`, ({ assert }) => {
      assert.match(findDomainNameProblem(text)!, words)
    })
  }
})
