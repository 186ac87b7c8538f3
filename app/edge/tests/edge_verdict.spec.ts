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

test.group('What a domain is missing', () => {
  const said: [string, Partial<DomainObservations>, string, RegExp][] = [
    [
      'no record',
      { holding: 'open', dns: { addresses: [], alias: null, silent: false } },
      'pending dns',
      /^shop\.example\.com has no address in DNS\.$/,
    ],
    [
      'another address',
      { holding: 'open', dns: elsewhere },
      'pending dns',
      /points to 198\.51\.100\.7 instead of 192\.0\.2\.1\./,
    ],
    [
      'an alias of something elsewhere',
      { holding: 'open', dns: { ...elsewhere, alias: 'old.example.net' } },
      'pending dns',
      /198\.51\.100\.7 \(as an alias of old\.example\.net\) instead of/,
    ],
    [
      'name servers that say nothing',
      { holding: 'open', dns: { addresses: [], alias: null, silent: true } },
      'pending dns',
      /do not respond/,
    ],
    ['a name that others want', { holding: 'contested' }, 'pending dns', /TXT record/],
    ['a name of somebody else', { holding: 'taken' }, 'pending dns', /Another account uses/],
    ['a name of the service', { holding: 'reserved' }, 'failed dns', /hosting platform/],
    ['an address moved away', { dns: elsewhere }, 'pending dns', /instead of 192\.0\.2\.1/],
    ['no certificate yet', { probe: without }, 'pending certificate', /is being issued/],
    [
      'a certificate that was refused',
      { probe: without, tlsError: 'HTTP 429 rateLimited - too many failed authorizations' },
      'failed certificate',
      /limits requests/,
    ],
    [
      'a second address that is not this one',
      {
        probe: without,
        tlsError: 'Timeout during connect',
        dns: { addresses: ['192.0.2.1', '2001:db8::7'], alias: null, silent: false },
      },
      'failed certificate',
      /also points to 2001:db8::7\. Remove that DNS record/,
    ],
    [
      'nothing behind the name',
      { probe: { kind: 'no_answer', message: 'The web proxy responded with error 502.', until } },
      'pending answer',
      /does not respond/,
    ],
  ]
  for (const [title, more, expected, words] of said) {
    test(`${title}: ${expected}`, ({ assert }) => {
      const verdict = evaluateDomainObservations(facts(more))
      if (verdict.ok) return assert.fail('it is said to work')
      const fresh = { status: 'pending', attempts: 0, wasServed: false } as const
      assert.equal(`${nextDomainState(fresh, verdict).status} ${verdict.step}`, expected)
      assert.match(verdict.message, words)
    })
  }

  test('an error of the authority stands under details alone', ({ assert }) => {
    const tlsError = 'obtaining certificate: acme: error: 403 :: urn:ietf:params:acme'
    const verdict = evaluateDomainObservations(facts({ probe: without, tlsError }))
    assert.equal(verdict.details, tlsError)
    assert.notInclude(verdict.message ?? '', 'urn:')
  })

  test('nothing once HTTPS answers, whatever the site answers', ({ assert }) => {
    const verdict = evaluateDomainObservations(facts({ probe: { ...answered, status: 500 } }))
    assert.deepEqual(verdict, { ok: true, message: null, details: null, until })
  })

  test('a proxy of the owner before the edge is no fault, but is said', ({ assert }) => {
    const verdict = evaluateDomainObservations(facts({ provenByText: true, dns: elsewhere }))
    assert.isTrue(verdict.ok)
    assert.match(verdict.message!, /works if a proxy .* by HTTPS/)
  })

  const strays: [string, string[], RegExp | null][] = [
    ['another IPv6 address', ['2001:db8::7'], /other servers \(AAAA 2001:db8::7\)/],
    ['another IPv4 address', ['198.51.100.7'], /other servers \(A 198\.51\.100\.7\)/],
    ['two', ['198.51.100.7', '2001:db8::7'], /\(A 198\.51\.100\.7, AAAA 2001:db8::7\)/],
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

  test('name servers that do not answer take nothing away that works', ({ assert }) => {
    const dns = { addresses: [], alias: null, silent: true }
    assert.isTrue(evaluateDomainObservations(facts({ dns })).ok)
  })
})

test.group('The state of a domain', () => {
  const no = evaluateDomainObservations(facts({ dns: elsewhere }))

  test('changes after the third failure in a row, not with a hiccup', ({ assert }) => {
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

  test('one that never worked is looked at soon, then more and more rarely', ({ assert }) => {
    const waits = Array.from({ length: 30 }, (_, attempts) => secondsUntilNextCheck(attempts + 1))
    assert.deepEqual(waits.slice(0, 4), [3, 5, 7, 10])
    assert.deepEqual(
      waits,
      waits.toSorted((one, other) => one - other)
    )
    assert.equal(waits.at(-1), 900)
  })
})
