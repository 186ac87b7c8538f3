import { audit, type AuditEntry } from '#core/audit/audit'
import { listAuditActionsByText, auditSentence } from '#core/audit/audit_sentences'
import { makeCustomer, makeStaff, signIn } from '#tests/support/people'
import { test } from '@japa/runner'
import { randomUUID } from 'node:crypto'

interface Line {
  id: number
  sentence: string
  who: string
}

test.group('Audit log page', () => {
  test('shows each action as a sentence, and an unknown action by its name', ({ assert }) => {
    assert.equal(auditSentence('project.store', 'shop'), 'Created project shop')
    assert.equal(auditSentence('host.found_ice', 'quay'), 'Host found ice: quay')
    assert.equal(auditSentence('constructor', '$& {}'), 'Constructor: $& {}')
    assert.include(listAuditActionsByText('BOOSTED'), 'instance.boost')
  })

  test('entries are found by text, person and day', async ({ assert }) => {
    const [ada, bob] = [await makeCustomer({ name: 'Ada' }), await makeCustomer({ name: 'Bob' })]
    const staff = await signIn(await makeStaff('support'))
    const name = `web-${randomUUID().slice(0, 8)}`
    const subject = { type: 'server_instance' as const, id: randomUUID(), label: name }
    const note = (action: string, more: Partial<AuditEntry> = {}) =>
      audit({ actor: ada, accountId: ada.id, action, subject, ip: '203.0.113.88', ...more })
    await note('instance.boost')
    await note('instance.delete', { actor: bob })
    await note('instance.deleted', { actor: null })
    const read = async (query: string, path = '/admin/audit') => {
      const { json } = await staff.get(`${path}?${query}`)
      return (json.data!.rows as Line[]).map(({ sentence }) => sentence)
    }
    const [boosted, asked, deleted] = [
      `Boosted server instance ${name}`,
      `Requested deletion of server instance ${name}`,
      `Deleted server instance ${name}`,
    ]
    assert.deepEqual(await read(`search=${name}`), [deleted, asked, boosted])
    // Each search word must be a part of the entry's sentence, person or IP address.
    assert.deepEqual(await read(`search=${encodeURIComponent(boosted)}`), [boosted])
    assert.deepEqual(await read(`search=boosted+${name.slice(2)}`), [boosted])
    assert.deepEqual(await read(`search=${ada.email}+server`), [boosted])
    assert.include(await read(`search=203.0.113.88+${name}`), boosted)
    assert.deepEqual(await read(`search=${name}+nothing-of-the-kind`), [])

    assert.deepEqual(await read(`search=${name}&person=${bob.id}`), [asked])
    assert.deepEqual(await read(`search=${name}&person=berth`), [deleted])
    const today = new Date(Date.now() + 6 * 3_600_000).toISOString().slice(0, 10)
    assert.lengthOf(await read(`search=${name}&from=${today}&until=${today}`), 3)
    assert.lengthOf(await read(`search=${name}&from=2099-01-01`), 0)
    assert.lengthOf(await read(`search=${name}&until=2020-01-01`), 0)
    for (const odd of [
      'from=yesterday',
      'from=2026-13-40',
      'until=0000-01-01',
      'person=x',
      'person=-1',
      'person=99999999999999999999',
      'from[]=2026-01-01',
      'sort=ip',
      'status=__proto',
    ]) {
      assert.lengthOf(await read(`search=${name}&${odd}`), 3, odd)
    }
    const { json } = await staff.get(`/admin/audit?person=${bob.id}`)
    const people = json.data!.people as { value: string; label: string }[]
    assert.isTrue(people.some(({ value }) => value === String(bob.id)))
    assert.deepEqual(json.data!.filters, { person: String(bob.id) })
  })

  test('customers see only their own entries, whatever they request', async ({ assert }) => {
    const [ada, bob] = [await makeCustomer(), await makeCustomer()]
    const visitor = await signIn(ada)
    const subject = { type: 'project' as const, id: randomUUID(), label: 'theirs' }
    await audit({ actor: bob, accountId: bob.id, action: 'project.store', subject })
    const { json } = await visitor.page(`/profile?tab=activity&person=${bob.id}&search=theirs`)
    assert.equal(json.props!.count, 0)
  })

  test('customers see only filters for their own entries', async ({ assert }) => {
    const ada = await makeCustomer()
    const visitor = await signIn(ada)
    const subject = { type: 'project' as const, id: randomUUID(), label: 'mine' }
    await audit({ actor: ada, accountId: ada.id, action: 'project.store', subject })
    const { json } = await visitor.page('/profile?tab=activity')
    assert.sameMembers(Object.keys(json.props!.statuses as object), ['person', 'project'])
    const staff = await signIn(await makeStaff())
    const log = await staff.page('/admin/audit')
    assert.includeMembers(Object.keys(log.json.props!.statuses as object), ['host_instance'])
  })
})
