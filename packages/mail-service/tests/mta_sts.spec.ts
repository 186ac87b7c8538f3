import { test } from '@japa/runner'
import { isPublicAddress } from '../../service/is_public_address.js'
import { MtaStsPolicies } from '../delivery/mta_sts.js'
import { resolveMailRoute } from '../delivery/mail_route.js'
import { createTestResolver } from './delivery_fixture.js'

const policy = (mode: string, mx: string[]) =>
  (async () => ({ status: 'found', policy: { id: '1', mode, mx, maxAge: 86_400 } })) as never

test.group('Mail servers of a domain', () => {
  const now = () => new Date()

  test('an enforced policy allows only the servers that it lists, with verified certificates', async ({
    assert,
  }) => {
    const names = createTestResolver({
      mx: async () => [
        { exchange: 'evil.test', priority: 1 },
        { exchange: 'mx1.good.test', priority: 2 },
      ],
    })
    const enforced = new MtaStsPolicies(names, now, policy('enforce', ['*.good.test']))
    const route = await resolveMailRoute('good.test', {
      names,
      policies: enforced,
      allowPrivate: true,
    })
    assert.isTrue(route.verified)
    assert.deepEqual(
      route.servers.map(({ name }) => name),
      ['mx1.good.test']
    )
    const none = new MtaStsPolicies(names, now, policy('enforce', ['other.test']))
    // The error is temporary, because the owner may just be changing the policy or the DNS records.
    await assert.rejects(
      () => resolveMailRoute('good.test', { names, policies: none, allowPrivate: true }),
      /MTA-STS/
    )
    const testing = new MtaStsPolicies(names, now, policy('testing', ['other.test']))
    const free = await resolveMailRoute('good.test', {
      names,
      policies: testing,
      allowPrivate: true,
    })
    assert.isFalse(free.verified)
    assert.lengthOf(free.servers, 2)
  })

  test('a policy is loaded once an hour, and a failed download delays no mail', async ({
    assert,
  }) => {
    let asked = 0
    let ahead = 0
    const ask = (async () => {
      if (++asked > 1) throw new Error('away')
      return { status: 'found', policy: { id: '1', mode: 'enforce', mx: ['mx.a.test'], maxAge: 9 } }
    }) as never
    const policies = new MtaStsPolicies(
      createTestResolver(),
      () => new Date(Date.now() + ahead),
      ask
    )
    assert.isTrue((await policies.of('a.test')).verified)
    await policies.of('a.test')
    assert.equal(asked, 1)
    ahead = 3_700_000
    assert.isTrue((await policies.of('a.test')).verified)
    assert.equal(asked, 2)
    assert.isFalse((await policies.of('b.test')).verified)
  })

  test('without MX records, the domain itself is the server, and names are looked up in ASCII', async ({
    assert,
  }) => {
    const asked: string[] = []
    const names = createTestResolver({
      mx: async (domain) => {
        asked.push(domain)
        throw Object.assign(new Error('none'), { code: 'ENODATA' })
      },
    })
    const policies = new MtaStsPolicies(names, now)
    const route = await resolveMailRoute('bücher.test', { names, policies, allowPrivate: true })
    assert.deepEqual(asked, ['xn--bcher-kva.test'])
    assert.equal(route.servers[0]!.name, 'xn--bcher-kva.test')
  })

  test('IP addresses are classified as public or not public', ({ assert }) => {
    for (const address of ['1.1.1.1', '172.32.0.1', '2606:4700::1111']) {
      assert.isTrue(isPublicAddress(address), address)
    }
    for (const address of [
      '127.0.0.1',
      '10.1.2.3',
      '172.31.255.255',
      '192.168.1.1',
      '169.254.169.254',
      '0.0.0.0',
      '100.64.0.1',
      '224.0.0.1',
      '255.255.255.255',
      '::1',
      '::',
      '::ffff:10.0.0.1',
      'fe80::1',
      'fd00:ec2::254',
      '64:ff9b::a00:1',
      '2002:a00:1::',
      '2001:db8::1',
      'ff02::1',
      'x',
    ]) {
      assert.isFalse(isPublicAddress(address), address)
    }
  })
})
