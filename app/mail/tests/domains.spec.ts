import type Person from '#identity/models/person'
import { refreshMailDomainStatus } from '#mail/actions/mail_domains'
import { DOMAIN_GRACE_DAYS } from '#mail/limits'
import type MailDomain from '#mail/models/mail_domain'
import Sender from '#mail/models/sender'
import { refreshDueMailDomains } from '#mail/schedules/refresh_mail_domains'
import type { FakeMailService } from '#mail/tests/fake_service'
import {
  freshAddress,
  makeDomain,
  makeSender,
  pendingSender,
  publish,
  startSharedMailService,
} from '#mail/tests/fixtures'
import type { MailDomainPage } from '#mail/transformers/page_props'
import { breakLock, withUnreachableLocks } from '#tests/support/break_lock'
import { setDnsRecords, silenceDns } from '#tests/support/dns_server'
import { eventually } from '#tests/support/eventually'
import { listMailsTo } from '#tests/support/outbox_mails'
import { makeCustomer, signIn, type Visitor } from '#tests/support/people'
import { failOnSecondConnections } from '#tests/support/fail_on_second_connections'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'

test.group('Mail domains', (group) => {
  failOnSecondConnections(group)
  let service: FakeMailService
  let customer: Person
  let visitor: Visitor

  const infoOf = ({ id }: MailDomain) => service.domains.get(id)!
  const check = ({ id }: MailDomain, who = visitor) => who.post('/email/domain/check', { id })
  const recordsOf = async ({ id }: MailDomain) =>
    (await visitor.page(`/email/domain/${id}`)).json.props!.records as MailDomainPage['records']

  group.setup(async () => void (service = await startSharedMailService()))
  group.each.setup(async () => {
    customer = await makeCustomer()
    visitor = await signIn(customer)
  })

  test('become active with correct SPF, DKIM and return path; DMARC is only advised', async ({
    assert,
  }) => {
    const domain = await makeDomain(customer)
    assert.sameMembers(
      (await recordsOf(domain)).map(({ purpose, state }) => `${purpose} ${state}`),
      ['dkim new', 'spf new', 'dmarc new', 'return_path new']
    )
    publish(infoOf(domain), ['dkim'])
    assert.equal((await check(domain)).json.data!.status, 'pending')
    assert.containSubset(await recordsOf(domain), [
      { purpose: 'dkim', state: 'missing', needed: true },
      { purpose: 'spf', state: 'found' },
    ])
    publish(infoOf(domain), ['dmarc'])
    assert.equal((await check(domain)).json.data!.status, 'active')
    assert.equal(infoOf(domain).state, 'active')
    assert.containSubset(await recordsOf(domain), [
      { purpose: 'dmarc', state: 'missing', needed: false },
    ])
  })

  test('show the wrong DNS records that were found', async ({ assert }) => {
    const domain = await makeDomain(customer)
    publish(infoOf(domain))
    const { keys } = infoOf(domain)
    const key = `${keys[0].selector}._domainkey.${domain.domain}`
    setDnsRecords(key, { TXT: [keys[0].record.slice(0, -10)] })
    setDnsRecords(domain.domain, { TXT: ['v=spf1 include:other.example.com -all', 'something'] })
    setDnsRecords(`bounce.${domain.domain}`, { MX: ['10 mx.example.com'] })
    await check(domain)
    const found = await recordsOf(domain)
    assert.containSubset(found, [
      { purpose: 'dkim', state: 'wrong' },
      {
        purpose: 'spf',
        state: 'wrong',
        found: ['v=spf1 include:other.example.com -all'],
        advice: 'Add include:spf.berth.test to the existing record, before its "all".',
      },
      { purpose: 'return_path', state: 'wrong', found: ['10 mx.example.com'] },
    ])
    assert.include(found.find(({ purpose }) => purpose === 'dkim')!.advice!, 'incomplete')
    setDnsRecords(domain.domain, { TXT: ['v=spf1 -all', 'v=spf1 include:spf.berth.test -all'] })
    setDnsRecords(key, { TXT: [keys[0].record.replace('p=', ' p =\t')] })
    await check(domain)
    const dkim = (await recordsOf(domain)).find(({ purpose }) => purpose === 'dkim')!
    assert.equal(dkim.state, 'found', 'white space around = is allowed')
    const spf = (await recordsOf(domain)).find(({ purpose }) => purpose === 'spf')!
    assert.equal(spf.state, 'wrong')
    assert.include(spf.advice!, 'more than one')
  })

  test('verify the senders of their account, also pending ones', async ({ assert }) => {
    const domain = await makeDomain(customer)
    const waiting = await pendingSender(customer, freshAddress(domain.domain))
    publish(infoOf(domain))
    await check(domain)
    assert.equal((await waiting.refresh()).status, 'verified')
    const email = freshAddress(domain.domain)
    const { json } = await visitor.post('/email/store', { email })
    assert.equal(json.data!.status, 'verified')
    assert.isEmpty(await listMailsTo(email))
    // The domain of another account does not verify an address. Neither does a parent domain, nor one
    // with a similar name.
    const other = await signIn(await makeCustomer())
    for (const [who, at] of [
      [other, domain.domain],
      [visitor, `sub.${domain.domain}`],
      [visitor, `not${domain.domain}`],
    ] as const) {
      const stored = await who.post('/email/store', { email: freshAddress(at) })
      assert.equal(stored.json.data!.status, 'pending')
    }
  })

  test('are active in one account at a time', async ({ assert }) => {
    const domain = await makeDomain(customer)
    publish(infoOf(domain))
    await check(domain)
    const rival = await makeCustomer()
    const theirs = await makeDomain(rival, domain.domain)
    publish(infoOf(theirs))
    // DNS now contains the key of the first account, and all records of the second.
    publish({ ...infoOf(domain), records: infoOf(theirs).records })
    const refused = await check(theirs, await signIn(rival))
    assert.equal(refused.status, 409)
    assert.include(refused.json.message, 'another account')
    // After the first account's key is removed from DNS, the domain becomes inactive in that account.
    setDnsRecords(`${infoOf(domain).keys[0].selector}._domainkey.${domain.domain}`, null)
    assert.equal((await check(theirs, await signIn(rival))).json.data!.status, 'active')
    assert.equal((await domain.refresh()).status, 'pending')
    assert.lengthOf(await listMailsTo(customer.email), 1)
  })

  test('notify their owner of broken records, and end the verification of senders after a week', async ({
    assert,
  }) => {
    const domain = await makeDomain(customer)
    publish(infoOf(domain))
    await check(domain)
    const sender = await makeSenderAt(domain)
    silenceDns(domain.domain)
    await refreshMailDomainStatus(domain, { actor: null })
    assert.equal((await domain.refresh()).status, 'active')

    publish(infoOf(domain), ['return_path'])
    const before = DateTime.utc().minus({ days: 2 })
    await domain.merge({ checkedAt: before }).save()
    await refreshDueMailDomains(new AbortController().signal)
    assert.equal((await domain.refresh()).status, 'pending')
    assert.equal(infoOf(domain).state, 'pending')
    const [mail] = await listMailsTo(customer.email)
    assert.include(mail.text, `/email/domain/${domain.id}`)
    await check(domain)
    assert.lengthOf(await listMailsTo(customer.email), 1)
    assert.equal((await sender.refresh()).status, 'verified')

    const longAgo = DateTime.utc().minus({ days: DOMAIN_GRACE_DAYS, minutes: 1 })
    await domain.refresh()
    await domain.merge({ failingSince: longAgo }).save()
    await check(domain)
    assert.equal((await sender.refresh()).status, 'pending')
    assert.equal(service.senders.get(sender.id)!.info.state, 'paused')
    publish(infoOf(domain))
    await check(domain)
    assert.equal((await sender.refresh()).status, 'verified')
    assert.equal(service.senders.get(sender.id)!.info.state, 'active')
  })

  async function makeSenderAt({ domain }: MailDomain) {
    return pendingSender(customer, freshAddress(domain))
  }

  test('change their signing key once DNS shows the new one', async ({ assert }) => {
    const domain = await makeDomain(customer)
    publish(infoOf(domain))
    await check(domain)
    const body = { id: domain.id }
    assert.equal((await visitor.post('/email/domain/rotate', body)).status, 200)
    const [old, next] = infoOf(domain).keys
    assert.equal((await visitor.post('/email/domain/switch', body)).status, 409)
    assert.equal(next.state, 'next')
    assert.equal((await domain.refresh()).status, 'active')
    publish(infoOf(domain))
    assert.equal((await visitor.post('/email/domain/switch', body)).status, 200)
    assert.deepEqual([old.state, next.state], ['retired', 'active'])
    assert.equal((await domain.refresh()).status, 'active')
  })

  test('are deleted if their name is typed, and their senders then need a link', async ({
    assert,
  }) => {
    const domain = await makeDomain(customer)
    publish(infoOf(domain))
    await check(domain)
    const sender = await makeSenderAt(domain)
    const linked = await makeSender(customer)
    const call = (typed: string) =>
      visitor.post('/email/domain/delete', { id: domain.id, domain: typed })
    assert.equal((await call('another')).status, 422)
    assert.equal((await call(domain.domain)).status, 200)
    assert.equal(infoOf(domain).state, 'deleted')
    assert.equal((await sender.refresh()).status, 'pending')
    assert.equal((await linked.refresh()).status, 'verified')
    assert.equal((await visitor.get(`/email/domain/${domain.id}`)).status, 404)
  })

  test('verify no sender during or after their deletion', async ({ assert, cleanup }) => {
    cleanup(() => void (service.onSenderCall = undefined))
    const domain = await makeDomain(customer)
    publish(infoOf(domain))
    await check(domain)
    await makeSenderAt(domain)
    const emails = [freshAddress(domain.domain), freshAddress(domain.domain)]
    const store = (email: string) => visitor.post('/email/store', { email })
    let during: Awaited<ReturnType<typeof store>> | undefined
    service.onSenderCall = async (call) => {
      service.onSenderCall = undefined
      assert.equal(call, 'make')
      // The deletion makes the service pause the existing sender. During that call, `emails[1]` is
      // added.
      service.onSenderCall = async (next) => {
        service.onSenderCall = undefined
        assert.equal(next, 'change')
        during = await store(emails[1])
      }
      const body = { id: domain.id, domain: domain.domain }
      assert.equal((await visitor.post('/email/domain/delete', body)).status, 200)
    }
    const across = await store(emails[0])
    assert.equal(across.status, 409)
    assert.include(across.json.message, 'was removed')
    assert.equal(during!.json.data!.status, 'pending')
    assert.isEmpty(await Sender.live().whereIn('email', emails).where('status', 'verified'))
    const made = [...service.senders.values()].find(({ email }) => email === emails[0])!
    await eventually(() => assert.equal(made.info.state, 'deleted'))
  })

  test('a sender whose lock is lost during the call of the mail service is not saved', async ({
    assert,
    cleanup,
  }) => {
    const domain = await makeDomain(customer)
    publish(infoOf(domain))
    await check(domain)
    const email = freshAddress(domain.domain)
    service.onSenderCall = async () => {
      service.onSenderCall = undefined
      await breakLock(`mail-sender:${email}`)
    }
    cleanup(() => void (service.onSenderCall = undefined))
    const { status, json } = await visitor.post('/email/store', { email })
    assert.equal(status, 503)
    assert.equal(json.code, 'lock_unavailable')
    assert.isEmpty(await Sender.query().where({ email }))
    assert.equal((await visitor.post('/email/store', { email })).json.data!.status, 'verified')
  })

  test('a change whose lock cannot be acquired gets 503 like maintenance', async ({ assert }) => {
    const domain = await makeDomain(customer)
    publish(infoOf(domain))
    await check(domain)
    const email = freshAddress(domain.domain)
    await withUnreachableLocks(async () => {
      const { status, json, headers } = await visitor.post('/email/store', { email })
      assert.deepEqual([status, json.code, headers.get('retry-after')], [503, 'maintenance', '10'])
      assert.include(json.message, 'Your last action was not carried out.')
      const visit = await visitor.post('/email/store', { email }, { accept: 'text/html' })
      assert.equal(visit.status, 503)
      assert.include(visit.text, 'Back in a moment')
    })
    assert.isEmpty(await Sender.query().where({ email }))
  })

  test('are rejected if they are taken, public suffixes or no domain names', async ({ assert }) => {
    const domain = await makeDomain(customer)
    for (const name of [domain.domain, 'localhost', 'co.uk', '10.0.0.1', 'a b.com', undefined]) {
      const { status, json } = await visitor.post('/email/domain/store', { domain: name })
      assert.equal(status, 422, String(name))
      assert.property(json.errors, 'domain')
    }
  })
})
