import { actorOf } from '#identity/public'
import Person from '#identity/models/person'
import { findOrCreateCustomer } from '#identity/actions/find_or_create_customer'
import Account from '#accounts/models/account'
import Invitation from '#accounts/models/invitation'
import Member from '#accounts/models/member'
import { uniqueName } from '#tests/support/hosts'
import { makeInstance } from '#tests/support/instances'
import { freshEmail, makeCustomer, makeStaff, signIn, type Visitor } from '#tests/support/people'
import { failOnSecondConnections } from '#tests/support/fail_on_second_connections'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'
import { randomUUID } from 'node:crypto'

async function join(account: Person, role: Member['role'], person?: Person): Promise<Person> {
  const member = person ?? (await makeCustomer())
  await Member.create({ accountId: account.id, personId: member.id, role })
  return member
}

async function actingFor(person: Person, account: Person): Promise<Visitor> {
  const visitor = await signIn(person)
  const { status } = await visitor.post('/account/switch', { id: account.id })
  if (status !== 200) throw new Error(`Switching was answered ${status}`)
  return visitor
}

async function invitationIn(email: string): Promise<string> {
  const mail = await db.from('outbox_mails').where('to', email).orderBy('id', 'desc').first()
  return /\/invitation\/([0-9a-f-]{36})/.exec(mail.text)![1]
}

test.group('Accounts', (group) => {
  failOnSecondConnections(group)
  test('sign-up creates an account with the id of the person, and two simultaneous sign-ups create one person', async ({
    assert,
  }) => {
    const email = freshEmail('founder')
    const prove = () => findOrCreateCustomer(email, { ip: '192.0.2.1', way: 'code' })
    const [one, other] = await Promise.all([prove(), prove()])
    assert.equal(one.id, other.id)
    const account = await Account.findOrFail(one.id)
    assert.deepEqual([account.name, account.status], [one.name, 'active'])
    assert.containSubset(await actorOf(one), {
      account: { id: one.id, role: 'owner' },
      accounts: [{ id: one.id, role: 'owner' }],
    })
    const entry = await db.from('audit_entries').where('account_id', one.id).first()
    assert.equal(entry.action, 'person.register')
  })

  test('if creating a person fails, no account remains', async ({ assert }) => {
    const email = freshEmail('nobody')
    await assert.rejects(() =>
      db.transaction(async (trx) => {
        await Person.create({ audience: 'customer', name: 'Nobody', email }, { client: trx })
        throw new Error('afterwards')
      })
    )
    const { rows } = await db.rawQuery(
      `select id from accounts where name = 'Nobody' and not exists
         (select 1 from people where people.id = accounts.id)`
    )
    assert.isEmpty(rows)
    assert.isNull(await Person.findByAddress('customer', email))
  })

  test('a person who accepts an invitation twice at once joins once, and then acts for the account', async ({
    assert,
  }) => {
    const owner = await makeCustomer()
    const browser = await signIn(owner)
    const guest = await makeCustomer()
    const asked = { email: guest.email.toUpperCase(), role: 'developer' }
    assert.equal((await browser.post('/profile/members/invite', asked)).status, 201)
    const id = await invitationIn(guest.email)

    const stranger = await signIn(await makeCustomer())
    assert.equal((await stranger.page(`/invitation/${id}`)).status, 403)
    assert.equal((await stranger.post('/invitation/accept', { id })).status, 403)

    const guests = await signIn(guest)
    assert.containSubset((await guests.page(`/invitation/${id}`)).json.props, {
      invitation: { account: owner.name, role: 'Developer' },
    })
    const [first, second] = await Promise.all([
      guests.post('/invitation/accept', { id }),
      guests.post('/invitation/accept', { id }),
    ])
    assert.sameMembers([first.status, second.status], [200, 404])
    const { name } = await makeInstance(owner)
    const list = await guests.page('/server-instance/list')
    assert.include(list.text, name)
    assert.containSubset(list.json.props, {
      user: { account: { id: owner.id, role: 'developer' } },
    })

    await guests.post('/account/switch', { id: guest.id })
    assert.notInclude((await guests.page('/server-instance/list')).text, name)
    const again = await browser.post('/profile/members/invite', asked)
    assert.equal(again.status, 422)
    assert.property(again.json.errors, 'email')
  })

  test('accepting a withdrawn, replaced or expired invitation gets 404', async ({ assert }) => {
    const owner = await makeCustomer()
    const browser = await signIn(owner)
    const guest = await makeCustomer()
    const guests = await signIn(guest)
    const invite = async (role: string) => {
      await browser.post('/profile/members/invite', { email: guest.email, role })
      return invitationIn(guest.email)
    }
    const first = await invite('owner')
    const second = await invite('billing')
    assert.equal((await guests.post('/invitation/accept', { id: first })).status, 404)
    assert.equal((await browser.post('/profile/members/withdraw', { id: second })).status, 200)
    assert.equal((await guests.post('/invitation/accept', { id: second })).status, 404)
    const third = await invite('billing')
    await Invitation.query()
      .where('id', third)
      .update({ expiresAt: DateTime.utc().minus(1).toSQL() })
    assert.equal((await guests.post('/invitation/accept', { id: third })).status, 404)
    assert.isNull(await Member.query().where({ accountId: owner.id, personId: guest.id }).first())
  })

  test('expired invitations do not count towards the limit of open invitations', async ({
    assert,
  }) => {
    const owner = await makeCustomer()
    const browser = await signIn(owner)
    const dead = Array.from({ length: 50 }, () => ({
      id: randomUUID(),
      accountId: owner.id,
      email: freshEmail('dead'),
      role: 'billing' as const,
      expiresAt: DateTime.utc().minus({ days: 1 }),
    }))
    await Invitation.createMany(dead)
    const asked = { email: freshEmail('guest'), role: 'developer' }
    assert.equal((await browser.post('/profile/members/invite', asked)).status, 201)
    assert.lengthOf(await Invitation.query().where('accountId', owner.id), 1)
  })

  test('the last owner cannot leave, and of two owners who remove each other at once one stays', async ({
    assert,
  }) => {
    const owner = await makeCustomer()
    const browser = await signIn(owner)
    const step = { id: owner.id, role: 'billing' }
    const refused = await browser.post('/profile/members/update', step)
    assert.deepEqual([refused.status, refused.json.code], [409, 'last_owner'])
    assert.equal((await browser.post('/profile/members/remove', { id: owner.id })).status, 409)

    const second = await join(owner, 'owner')
    const seconds = await actingFor(second, owner)
    const answers = await Promise.all([
      browser.post('/profile/members/remove', { id: second.id }),
      seconds.post('/profile/members/remove', { id: owner.id }),
    ])
    assert.lengthOf(
      answers.filter(({ status }) => status === 200),
      1
    )
    assert.lengthOf(await Member.query().where({ accountId: owner.id, role: 'owner' }), 1)
  })

  test('a removed member loses access to the account with the next request', async ({ assert }) => {
    const owner = await makeCustomer()
    const member = await join(owner, 'developer')
    const { id } = await makeInstance(owner)
    const members = await actingFor(member, owner)
    assert.equal((await members.page(`/server-instance/${id}`)).status, 200)
    const browser = await signIn(owner)
    await browser.post('/profile/members/remove', { id: member.id })
    assert.equal((await members.page(`/server-instance/${id}`)).status, 404)
    assert.equal((await members.post('/account/switch', { id: owner.id })).status, 404)
  })

  test('a changed role applies from the member’s next request', async ({ assert }) => {
    const owner = await makeCustomer()
    const member = await join(owner, 'developer')
    const { id } = await makeInstance(owner)
    const members = await actingFor(member, owner)
    const browser = await signIn(owner)
    await browser.post('/profile/members/update', { id: member.id, role: 'billing' })
    const refused = await members.get(`/server-instance/${id}`)
    assert.equal(refused.status, 403)
    assert.include(refused.json.message, 'Billing')
    assert.containSubset((await members.page('/')).json.props, {
      unavailable: {
        'machines.use': 'Your role in this account is Billing: bills and payments only.',
      },
    })
    const invite = { email: freshEmail('friend'), role: 'owner' }
    assert.equal((await members.post('/profile/members/invite', invite)).status, 403)
  })

  test('a person without an account can sign in, and requests for instances get 403 no_account', async ({
    assert,
  }) => {
    const founder = await makeCustomer()
    const second = await join(founder, 'owner')
    const seconds = await actingFor(second, founder)
    await seconds.post('/profile/members/remove', { id: founder.id })
    const browser = await signIn(founder)
    assert.equal((await browser.page('/')).status, 200)
    assert.equal((await browser.page('/profile')).status, 200)
    const refused = await browser.get('/server-instance/list')
    assert.deepEqual([refused.status, refused.json.code], [403, 'no_account'])
  })

  test('each member has a separate default instance, which must belong to the account', async ({
    assert,
  }) => {
    const owner = await makeCustomer()
    const member = await join(owner, 'developer')
    const [one, other] = [await makeInstance(owner), await makeInstance(owner)]
    const browser = await signIn(owner)
    const members = await actingFor(member, owner)
    await browser.post(`/server-instance/set-as-default/${one.id}`)
    await members.post(`/server-instance/set-as-default/${other.id}`)
    const chosen = await Member.query().where('accountId', owner.id).orderBy('personId')
    assert.deepEqual(
      chosen.map(({ defaultInstanceId }) => Number(defaultInstanceId)),
      [one.id, other.id]
    )
    const foreign = await makeInstance(member)
    await assert.rejects(
      () =>
        Member.query()
          .where({ accountId: owner.id, personId: owner.id })
          .update({ defaultInstanceId: foreign.id }),
      /members_default_instance/
    )
  })

  test('the database rejects a domain of one account on an instance of another account', async ({
    assert,
  }) => {
    const [one, other] = [await makeCustomer(), await makeCustomer()]
    const { id } = await makeInstance(one)
    await assert.rejects(
      () =>
        db.table('domains').insert({
          server_instance_id: id,
          account_id: other.id,
          status: 'pending',
          subdomain: `${uniqueName('name')}.example.com`,
        }),
      /domains_owner/
    )
  })
})

test.group('Customer pages for staff', () => {
  test('the search finds customers by id, part of a name, and part of a member’s email address', async ({
    assert,
  }) => {
    const owner = await makeCustomer({ name: 'Zahra Quay' })
    const member = await join(owner, 'billing')
    const staff = await signIn(await makeStaff('support'))
    const found = async (search: string) => {
      const query = new URLSearchParams({ search })
      const { json } = await staff.page(`/admin/customer/list?${query}`)
      return (json.props!.rows as { id: number }[]).map(({ id }) => id)
    }
    for (const search of [String(owner.id), owner.email.slice(3, -3), member.email.slice(2)]) {
      assert.include(await found(search), owner.id, search)
    }
    assert.include(await found('hra qu'), owner.id)
    assert.notInclude(await found('%'), owner.id)
    assert.isEmpty(await found(`nobody-${uniqueName('x')}`))
  })

  test('a customer page shows the account’s resources, members and staff notes', async ({
    assert,
  }) => {
    const owner = await makeCustomer()
    const { name } = await makeInstance(owner)
    const staff = await signIn(await makeStaff('support'))
    const note = { id: owner.id, text: 'Wants an invoice by post.' }
    assert.equal((await staff.post('/admin/customer/note', note)).status, 201)
    const { json } = await staff.page(`/admin/customer/${owner.id}`)
    assert.containSubset(json.props, {
      customer: { id: owner.id, email: owner.email, status: 'active' },
      members: [{ id: owner.id, role: 'owner' }],
      notes: [{ text: note.text }],
    })
    const things = json.props!.things as { label: string; things: { name: string }[] }[]
    assert.equal(things.find(({ label }) => label === 'Server instances')!.things[0].name, name)
    const activity = await (await signIn(owner)).page('/profile?tab=activity')
    assert.notInclude(activity.text, 'account.note')
  })

  test('staff can sign out all members of an account everywhere', async ({ assert }) => {
    const owner = await makeCustomer()
    const member = await join(owner, 'developer')
    const browsers = [await signIn(owner), await signIn(member)]
    const staff = await signIn(await makeStaff('administrator'))
    await staff.post('/admin/customer/sign-out', { id: owner.id })
    for (const browser of browsers) assert.equal((await browser.get('/profile')).status, 401)
  })
})
