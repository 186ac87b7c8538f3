import { listLocalEdgeAddresses } from '#edge/edge_addresses'
import Domain from '#edge/models/domain'
import { proofRecordName, proofToken } from '#edge/domain_ownership'
import { serveDomains } from '#edge/serve_domains'
import { HostInstance } from '#hosts/public'
import type Person from '#identity/models/person'
import { ServerInstance } from '#instances/public'
import { type DnsRecords, setDnsRecords } from '#tests/support/dns_server'
import { pointDnsToThisHost } from '#tests/support/edge'
import { failOnSecondConnections } from '#tests/support/fail_on_second_connections'
import { retireHosts, createSmallPackage, uniqueName } from '#tests/support/hosts'
import { makeCustomer, makeStaff, signIn, type Visitor } from '#tests/support/people'
import { overrideSettings } from '#tests/support/override_settings'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

interface Account {
  person: Person
  visitor: Visitor
  instance: ServerInstance
  ask(...names: string[]): ReturnType<Visitor['post']>
  domain(name: string): Promise<Domain>
}

/** A host that exists only as a database row. */
let host: HostInstance

async function account(instanceType: 'shared' | 'regular' = 'shared'): Promise<Account> {
  const person = await makeCustomer()
  const { id: serverPackageId } = await createSmallPackage(instanceType)
  const instance = await ServerInstance.create({
    accountId: person.id,
    hostInstanceId: host.id,
    serverPackageId,
    name: uniqueName('proof'),
    instanceType,
    billingPeriod: 'month',
    status: 'active',
    ports: {},
  })
  const visitor = await signIn(person)
  return {
    person,
    visitor,
    instance,
    ask: (...names) =>
      visitor.post('/server-instance/update', {
        id: instance.id,
        domains: names.map((subdomain) => ({ subdomain, status: 'pending' })),
      }),
    domain: (subdomain) =>
      Domain.query().where({ serverInstanceId: instance.id, subdomain }).firstOrFail(),
  }
}

const show = (name: string, account: Account, more: DnsRecords = {}) => {
  setDnsRecords(name, more)
  setDnsRecords(proofRecordName(name), { TXT: ['other=1', proofToken(account.person.id)] })
}
/** Makes the checks of these domains due and runs them. */
const look = async (...names: string[]) => {
  await Domain.query()
    .whereIn('subdomain', names)
    .update({ checkAt: new Date(0) })
  await serveDomains()
}

test.group('Domain ownership', (group) => {
  failOnSecondConnections(group)
  let folder: string
  /** Runs without Caddy, because these tests are only about ownership. */
  group.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-edge-'))
    const EDGE_ADMIN = `unix/${join(folder, 'admin.sock')}`
    host = await HostInstance.create({
      name: uniqueName('away'),
      ip: '192.0.2.9',
      status: 'offline',
      provider: 'test',
      isLocal: false,
      incusUrl: 'unix:/nowhere',
      sshPort: 22,
      specifications: {},
    })
    const undo = overrideSettings({ EDGE_ADMIN, PUBLIC_IP: '192.0.2.1' })
    return async () => {
      undo()
      await retireHosts(host)
      await rm(folder, { recursive: true, force: true })
    }
  })

  test('several accounts can add a name without proof, and the edge does not serve it', async ({
    assert,
  }) => {
    const [one, other] = [await account(), await account()]
    const name = `${uniqueName('www')}.example.com`
    setDnsRecords(name, { A: ['198.51.100.7'] })
    assert.equal((await one.ask(name)).status, 200)
    assert.equal((await other.ask(name)).status, 200)
    await look(name)
    for (const { domain } of [one, other]) {
      const { status, step, provenAt, wantsCertificate, statusReason, seen } = await domain(name)
      assert.deepEqual([status, step, provenAt, wantsCertificate], ['pending', 'dns', null, false])
      assert.match(statusReason!, /points to 198\.51\.100\.7 instead of/)
      assert.equal(seen, '198.51.100.7')
    }
  })

  test('a DNS record to this edge proves ownership, and another account that adds the name gets 422', async ({
    assert,
  }) => {
    const [one, other] = [await account(), await account()]
    const name = `${uniqueName('www')}.example.com`
    await pointDnsToThisHost(name)
    await one.ask(name)
    await look(name)
    const { provenBy, wantsCertificate } = await one.domain(name)
    assert.deepEqual([provenBy, wantsCertificate], ['address', true])
    const refused = await other.ask(name)
    assert.equal(refused.status, 422)
    const [words] = refused.json.errors!.domains
    assert.include(words, `${name} is used by another account.`)
    assert.include(words, `TXT record _berth.${name} to ${proofToken(other.person.id)}`)
  })

  test('a CNAME to a name that points to this edge proves ownership as well', async ({
    assert,
  }) => {
    const one = await account()
    const [name, alias] = [`${uniqueName('www')}.example.com`, `${uniqueName('web')}.example.net`]
    await pointDnsToThisHost(alias)
    setDnsRecords(name, { CNAME: alias })
    await one.ask(name)
    await look(name)
    assert.equal((await one.domain(name)).provenBy, 'address')
  })

  test('a loopback address does not prove ownership', async ({ assert }) => {
    const one = await account()
    const name = `${uniqueName('www')}.example.com`
    setDnsRecords(name, { A: ['127.0.0.1'], AAAA: ['::1'] })
    assert.notInclude([...(await listLocalEdgeAddresses())], '::1')
    await one.ask(name)
    await look(name)
    assert.isNull((await one.domain(name)).provenBy)
  })

  test('if two accounts claim a name, only the TXT record decides', async ({ assert }) => {
    const [squatter, owner] = [await account(), await account()]
    const name = `${uniqueName('www')}.example.com`
    await squatter.ask(name)
    await owner.ask(name)
    const records = await pointDnsToThisHost(name)
    await look(name)
    for (const { domain } of [squatter, owner]) {
      const { provenBy, statusReason } = await domain(name)
      assert.isNull(provenBy)
      assert.match(statusReason!, /Other accounts also added .* Set the TXT record/)
    }
    show(name, owner, records)
    await look(name)
    assert.equal((await owner.domain(name)).provenBy, 'txt')
    await look(name)
    const { provenBy, status, statusReason } = await squatter.domain(name)
    assert.deepEqual([provenBy, status], [null, 'pending'])
    assert.match(statusReason!, /Another account uses/)
  })

  test('an account with the TXT record gets a name that another account proved only by pointing it to this edge', async ({
    assert,
  }) => {
    const [squatter, owner] = [await account(), await account()]
    const name = `${uniqueName('www')}.example.com`
    const records = await pointDnsToThisHost(name)
    await squatter.ask(name)
    await look(name)
    await Domain.query()
      .where('id', (await squatter.domain(name)).id)
      .update({ status: 'active', servedAt: new Date() })
    assert.equal((await owner.ask(name)).status, 422)
    show(name, owner, records)
    assert.equal((await owner.ask(name)).status, 200)
    await look(name)
    assert.equal((await owner.domain(name)).provenBy, 'txt')
    const lost = await squatter.domain(name)
    assert.deepEqual([lost.provenBy, lost.status, lost.wantsCertificate], [null, 'failed', false])

    // An owner with a TXT record keeps the domain, even if another account's TXT record is in DNS too.
    const both = [proofToken(owner.person.id), proofToken(squatter.person.id)]
    setDnsRecords(proofRecordName(name), { TXT: both })
    await look(name)
    assert.equal((await owner.domain(name)).provenBy, 'txt')
    assert.isNull((await squatter.domain(name)).provenBy)
  })

  test('a second instance of the same account cannot use the same name (422)', async ({
    assert,
  }) => {
    const one = await account()
    const second = await ServerInstance.create({
      accountId: one.person.id,
      serverPackageId: one.instance.serverPackageId,
      name: uniqueName('proof'),
      instanceType: 'shared',
      billingPeriod: 'month',
      status: 'active',
      ports: {},
    })
    const name = `${uniqueName('www')}.example.com`
    await one.ask(name)
    const again = await one.visitor.post('/server-instance/update', {
      id: second.id,
      domains: [{ subdomain: name }],
    })
    assert.equal(again.status, 422)
    assert.include(
      again.json.errors!.domains[0],
      `points to the server instance ${one.instance.name}`
    )
  })

  test('names of the installation get 422, and are no longer served if a customer already had them', async ({
    assert,
    cleanup,
  }) => {
    const own = uniqueName('harbour')
    const one = await account()
    const [wasFree, open] = [`edge.${own}.example.com`, `shop.${own}.example.com`]
    await one.ask(wasFree)
    await pointDnsToThisHost(wasFree)
    await look(wasFree)
    assert.equal((await one.domain(wasFree)).provenBy, 'address')
    const undo = overrideSettings({
      APP_URL: `https://console.${own}.example.com`,
      GATEWAY_URL: `wss://terminal.${own}.example.net`,
      VAULT_URL: `https://files.${own}.example.net`,
      MAIL_URL: `https://post.${own}.example.net`,
      MAIL_FROM: `Harbour <office@${own}.example.org>`,
    })
    cleanup(undo)
    for (const name of [
      `console.${own}.example.com`,
      `a.b.console.${own}.example.com`,
      `gateway.${own}.example.com`,
      `vault.${own}.example.com`,
      `mail.${own}.example.com`,
      `terminal.${own}.example.net`,
      `x.files.${own}.example.net`,
      `post.${own}.example.net`,
      `${own}.example.org`,
    ]) {
      const { status, json } = await one.ask(name)
      assert.equal(status, 422, name)
      assert.equal(
        json.errors!.domains[0],
        `${name} belongs to the hosting platform. Enter a domain of your own.`
      )
      const typed = await one.visitor.get(`/server-instance/domain/name?subdomain=${name}`)
      assert.equal(typed.json.errors?.subdomain[0], json.errors!.domains[0])
    }
    await look(wasFree)
    const { provenBy, status, statusReason } = await one.domain(wasFree)
    assert.deepEqual([provenBy, status], [null, 'failed'])
    assert.match(statusReason!, /belongs to the hosting platform/)
    assert.equal((await one.ask(open, `shop.${own}.example.org`)).status, 200)
  })

  test('a check can be requested for the account’s own instance only, and becomes due immediately', async ({
    assert,
  }) => {
    const [one, other] = [await account(), await account()]
    const subdomain = `${uniqueName('www')}.example.com`
    await one.ask(subdomain)
    await look(subdomain)
    await Domain.query()
      .where({ subdomain })
      .update({ checkAt: new Date(Date.now() + 600_000), attempts: 12 })
    const check = (visitor: Visitor, id: number) =>
      visitor.post('/server-instance/domain/check', { id, subdomain })
    assert.equal((await check(other.visitor, one.instance.id)).status, 404)
    assert.equal((await check(other.visitor, other.instance.id)).status, 404)
    assert.equal((await check(one.visitor, one.instance.id)).status, 200)
    const { checkAt, attempts } = await one.domain(subdomain)
    assert.isAtMost(checkAt.toMillis(), Date.now())
    assert.equal(attempts, 0)
  })

  test('administrators can add domains to regular instances, but support staff and customers cannot', async ({
    assert,
  }) => {
    const { instance, domain, ask } = await account('regular')
    const name = `${uniqueName('www')}.example.com`
    const admin = await signIn(await makeStaff())
    const body = { id: instance.id, domains: [name] }
    const saved = await admin.post('/admin/server-instance/update', body)
    assert.equal(saved.status, 200, saved.text)
    assert.equal((await domain(name)).innerPort, 80)
    const { json } = await admin.page(`/admin/server-instance/${instance.id}`)
    const shown = json.props!.instance as { can: Record<string, unknown>; domains: string[] }
    assert.deepEqual(shown.can.leadDomains, { allowed: true, reason: null })
    assert.deepEqual(shown.domains, [name])

    const support = await signIn(await makeStaff('support'))
    assert.equal((await support.post('/admin/server-instance/update', body)).status, 403)
    const page = await support.page(`/admin/server-instance/${instance.id}`)
    const { allowed, reason } = page.json.props!.mayManage as { allowed: boolean; reason: string }
    assert.isFalse(allowed)
    assert.isNotEmpty(reason)
    // Rejected, because customers add the domains of regular instances to projects.
    assert.equal((await ask(name)).status, 409)
  })
})

test.group('Domains from before proof of ownership was required', () => {
  test('active domains stay with the account of their instance, and pending domains need proof', async ({
    assert,
  }) => {
    const { default: Migration } = await import('#database/migrations/0060_domain_proof')
    const trx = await db.connection('owner').transaction()
    try {
      await trx.rawQuery('create schema before_proof')
      await trx.rawQuery('set local search_path to before_proof')
      for (const statement of [
        'create table people (id bigint primary key)',
        'create table server_instances (id bigint primary key, customer_id bigint)',
        `create table domains (id bigint primary key, server_instance_id bigint, subdomain varchar(255)
          constraint domains_subdomain_unique unique, status varchar(255) not null, certificate_until timestamptz)`,
        'insert into people values (7)',
        'insert into server_instances values (1, 7)',
        `insert into domains values (1, 1, 'a.example.com', 'active', now()),
          (2, 1, 'b.example.com', 'active', null), (3, 1, 'c.example.com', 'pending', null)`,
      ]) {
        await trx.rawQuery(statement)
      }
      await new Migration(trx, 'domain_proof', false).execUp()
      const rows = await trx.from('domains').orderBy('id')
      assert.deepEqual(
        rows.map((row) => [
          row.status,
          row.proven_by,
          Number(row.customer_id),
          row.wants_certificate,
        ]),
        [
          ['active', 'kept', 7, true],
          ['active', 'kept', 7, true],
          ['pending', null, 7, false],
        ]
      )
      assert.isNotNull(rows[0].proven_at)
    } finally {
      await trx.rollback()
    }
  })
})
