import {
  type DomainObservations,
  nextDomainState,
  evaluateDomainObservations,
  secondsUntilNextCheck,
} from '#edge/domain_check_result'
import type { SiteProbeResult } from '#packages/edge/main'
import { test } from '@japa/runner'

const until = new Date(Date.now() + 86_400_000)
const answered: SiteProbeResult = { kind: 'answered', status: 200, until }
const without: SiteProbeResult = { kind: 'no_certificate', message: 'tlsv1 alert internal error' }

function facts(more: Partial<DomainObservations> = {}): DomainObservations {
  return {
    name: 'shop.example.com',
    dns: { addresses: ['192.0.2.1'], alias: null, silent: false },
    target: '192.0.2.1',
    edgeAddresses: new Set(['192.0.2.1']),
    holding: 'held',
    provenByText: false,
    probe: answered,
    edgeError: null,
    tlsError: null,
    ...more,
  }
}
const elsewhere = { addresses: ['198.51.100.7'], alias: null, silent: false }

test.group('Result of a domain check', () => {
  const said: [string, Partial<DomainObservations>, string, RegExp][] = [
    [
      'no DNS record',
      { holding: 'open', dns: { addresses: [], alias: null, silent: false } },
      'pending dns',
      /^shop\.example\.com has no address in DNS\.$/,
    ],
    [
      'DNS points elsewhere',
      { holding: 'open', dns: elsewhere },
      'pending dns',
      /points to 198\.51\.100\.7 instead of 192\.0\.2\.1\./,
    ],
    [
      'a CNAME points elsewhere',
      { holding: 'open', dns: { ...elsewhere, alias: 'old.example.net' } },
      'pending dns',
      /198\.51\.100\.7 \(as an alias of old\.example\.net\) instead of/,
    ],
    [
      'DNS servers do not respond',
      { holding: 'open', dns: { addresses: [], alias: null, silent: true } },
      'pending dns',
      /do not respond/,
    ],
    ['several accounts claim the name', { holding: 'contested' }, 'pending dns', /TXT record/],
    ['another account owns the name', { holding: 'taken' }, 'pending dns', /Another account uses/],
    ['a name of the installation', { holding: 'reserved' }, 'failed dns', /hosting platform/],
    [
      'DNS was changed to another address',
      { dns: elsewhere },
      'pending dns',
      /instead of 192\.0\.2\.1/,
    ],
    ['no certificate yet', { probe: without }, 'pending certificate', /is being issued/],
    [
      'a rejected certificate request',
      { probe: without, tlsError: 'HTTP 429 rateLimited - too many failed authorizations' },
      'failed certificate',
      /limits requests/,
    ],
    [
      'a second DNS record points elsewhere',
      {
        probe: without,
        tlsError: 'Timeout during connect',
        dns: { addresses: ['192.0.2.1', '2001:db8::7'], alias: null, silent: false },
      },
      'failed certificate',
      /also points to 2001:db8::7\. Remove that DNS record/,
    ],
    [
      'the site does not respond',
      { probe: { kind: 'no_answer', message: 'The web proxy responded with error 502.', until } },
      'pending answer',
      /does not respond/,
    ],
  ]
  for (const [title, more, expected, words] of said) {
    test(`${title}: ${expected}`, ({ assert }) => {
      const verdict = evaluateDomainObservations(facts(more))
      if (verdict.ok) return assert.fail('it must not work')
      const fresh = { status: 'pending', attempts: 0, wasServed: false } as const
      assert.equal(`${nextDomainState(fresh, verdict).status} ${verdict.step}`, expected)
      assert.match(verdict.message, words)
    })
  }

  test('the certificate authority’s error is only in the details', ({ assert }) => {
    const tlsError = 'obtaining certificate: acme: error: 403 :: urn:ietf:params:acme'
    const verdict = evaluateDomainObservations(facts({ probe: without, tlsError }))
    assert.equal(verdict.details, tlsError)
    assert.notInclude(verdict.message ?? '', 'urn:')
  })

  test('a domain works once HTTPS responds, even if the site answers 500', ({ assert }) => {
    const verdict = evaluateDomainObservations(facts({ probe: { ...answered, status: 500 } }))
    assert.deepEqual(verdict, { ok: true, message: null, details: null, until })
  })

  test('a customer’s proxy in front of the edge is not an error, but is mentioned', ({
    assert,
  }) => {
    const verdict = evaluateDomainObservations(facts({ provenByText: true, dns: elsewhere }))
    assert.isTrue(verdict.ok)
    assert.match(verdict.message!, /works if a proxy .* by HTTPS/)
  })

  const strays: [string, string[], RegExp | null][] = [
    ['another IPv6 address', ['2001:db8::7'], /other servers \(AAAA 2001:db8::7\)/],
    ['another IPv4 address', ['198.51.100.7'], /other servers \(A 198\.51\.100\.7\)/],
    [
      'two other addresses',
      ['198.51.100.7', '2001:db8::7'],
      /\(A 198\.51\.100\.7, AAAA 2001:db8::7\)/,
    ],
    ['an address of the edge', ['2001:db8::1'], null],
  ]
  for (const [title, others, message] of strays) {
    test(`an active domain reports stray DNS records: ${title}`, ({ assert }) => {
      const edgeAddresses = new Set(['192.0.2.1', '2001:db8::1'])
      const dns = { addresses: ['192.0.2.1', ...others], alias: null, silent: false }
      const verdict = evaluateDomainObservations(facts({ dns, edgeAddresses }))
      assert.isTrue(verdict.ok)
      if (message) assert.match(verdict.message!, message)
      else assert.isNull(verdict.message)
    })
  }

  test('an unresponsive DNS server does not break a working domain', ({ assert }) => {
    const dns = { addresses: [], alias: null, silent: true }
    assert.isTrue(evaluateDomainObservations(facts({ dns })).ok)
  })
})

test.group('Status of a domain', () => {
  const no = evaluateDomainObservations(facts({ dns: elsewhere }))

  test('changes after the third consecutive failure, not after one or two', ({ assert }) => {
    const active = (attempts: number) =>
      nextDomainState({ status: 'active', attempts, wasServed: true }, no)
    assert.deepInclude(active(0), { status: 'active', attempts: 1, isReported: false })
    assert.deepInclude(active(1), { status: 'active', attempts: 2, isReported: false })
    assert.deepInclude(active(2), { status: 'failed', attempts: 3, isReported: true })
    const again = nextDomainState(
      { status: 'active', attempts: 2, wasServed: true },
      evaluateDomainObservations(facts())
    )
    assert.deepInclude(again, { status: 'active', attempts: 0 })
  })

  test('is checked again after seconds at first, then less and less often', ({ assert }) => {
    const waits = Array.from({ length: 30 }, (_, attempts) => secondsUntilNextCheck(attempts + 1))
    assert.deepEqual(waits.slice(0, 4), [3, 5, 7, 10])
    assert.deepEqual(
      waits,
      waits.toSorted((one, other) => one - other)
    )
    assert.equal(waits.at(-1), 900)
  })
})
