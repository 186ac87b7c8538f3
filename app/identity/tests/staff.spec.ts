import { actorOf } from '#identity/actor'
import Person from '#identity/models/person'
import { makeFirstAdministrator } from '#identity/actions/first_administrator'
import { changeStaff, setStaffDisabled } from '#identity/actions/staff'
import { freshEmail, makeStaff, makeVisitor, signIn } from '#tests/support/people'
import { loadCodeSentTo, listMailsTo } from '#tests/support/outbox_mails'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'

const password = 'another quay at dawn'

/** Disables all other administrators while `run` is running. */
async function alone(admin: Person, run: () => Promise<void>) {
  const others = await Person.query()
    .where({ audience: 'staff', role: 'administrator' })
    .whereNull('disabledAt')
    .whereNot('id', admin.id)
    .select('id')
  const ids = others.map(({ id }) => id)
  await Person.query().whereIn('id', ids).update({ disabledAt: DateTime.utc().toSQL() })
  try {
    await run()
  } finally {
    await Person.query().whereIn('id', ids).update({ disabledAt: null })
  }
}

test.group('Staff', () => {
  test('an invited staff member sets a password with a one-time code', async ({ assert }) => {
    const admin = await signIn(await makeStaff())
    const email = freshEmail('mate')
    const invite = { name: 'Mate', email, title: '', role: 'support' }
    assert.equal((await admin.post('/admin/staff/invite', invite)).status, 201)
    assert.equal((await admin.post('/admin/staff/invite', invite)).status, 422)
    const [mail] = await listMailsTo(email)
    assert.include(mail.text, `${process.env.APP_URL}/admin/login?action=invited`)
    const mate = await makeVisitor('admin')
    await mate.post('/admin/send-otp', { email })
    const otp = await loadCodeSentTo(email)
    const chosen = await mate.post('/admin/match-otp', {
      otp,
      password,
      confirm_password: password,
    })
    assert.equal(chosen.status, 200)
    const refused = await mate.post('/admin/staff/invite', { ...invite, email: freshEmail() })
    assert.equal(refused.status, 403)
    const page = await mate.page('/admin')
    assert.equal(page.json.props?.manage, refused.json.message)
  })

  test('disabling and role changes take effect immediately', async ({ assert }) => {
    const admin = await signIn(await makeStaff())
    const person = await makeStaff('administrator')
    const other = await signIn(person)
    const { id, name } = person
    await admin.post('/admin/staff/update', { id, name, role: 'support' })
    assert.equal((await other.post('/admin/staff/disable', { id })).status, 403)
    await admin.post('/admin/staff/disable', { id })
    assert.equal((await other.get('/admin/staff/list')).status, 401)
  })

  test('disabled staff are not invited again', async ({ assert }) => {
    const admin = await signIn(await makeStaff())
    const { id, name } = await makeStaff('support', {
      password: null,
      disabledAt: DateTime.utc(),
    })
    const refused = await admin.post('/admin/staff/invite-again', { id })
    assert.deepEqual([refused.status, refused.json.code], [409, 'disabled_staff'])
    const { json } = await admin.page(`/admin/staff/list?search=${encodeURIComponent(name)}`)
    const [row] = json.props!.rows as { can: { inviteAgain: true | string } }[]
    assert.equal(row.can.inviteAgain, refused.json.message)
  })

  test('the last administrator stays, even if two step down at once', async ({ assert }) => {
    const [one, two] = [await makeStaff(), await makeStaff()]
    await alone(one, async () => {
      await two.merge({ disabledAt: null }).save()
      await Person.query().where('id', two.id).update({ disabledAt: null })
      const by = { ip: '127.0.0.1' }
      const down = async (person: Person) =>
        changeStaff(
          person.id,
          { name: person.name, role: 'support' },
          { actor: await actorOf(person), ...by }
        )
      const outcomes = await Promise.allSettled([down(one), down(two)])
      assert.lengthOf(
        outcomes.filter(({ status }) => status === 'fulfilled'),
        1
      )
      const last = outcomes[0].status === 'fulfilled' ? two : one
      await assert.rejects(
        async () => setStaffDisabled(last.id, true, { actor: await actorOf(one), ...by }),
        /last administrator|cannot disable yourself/
      )
    })
  })

  test('the first administrator is created only if there is no staff', async ({ assert }) => {
    await makeStaff('support')
    assert.isNull(await makeFirstAdministrator(freshEmail()))
  })

  test('each change is audited with old and new values', async ({ assert }) => {
    const admin = await signIn(await makeStaff())
    const { id, name, email } = await makeStaff('support')
    await admin.post('/admin/staff/update', { id, name, role: 'administrator' })
    const log = await admin.page(`/admin/audit?search=${encodeURIComponent(email)}`)
    const [row] = log.json.props?.rows as Record<string, Record<string, unknown>>[]
    assert.equal(row.before.role, 'support')
    assert.equal(row.after.role, 'administrator')
    const rowsOf = async (status: string) => {
      const found = await admin.page(`/admin/audit?search=${email}&status=${status}`)
      return found.json.props?.rows as unknown[]
    }
    assert.lengthOf(await rowsOf('person'), 1)
    assert.lengthOf(await rowsOf('server_instance'), 0)
    await assert.rejects(() => db.from('audit_entries').where('subject_id', String(id)).delete())
    await assert.rejects(() => db.from('audit_entries').update({ actor_name: 'nobody' }))
  })
})
