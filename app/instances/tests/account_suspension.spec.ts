import { resumeAccount, suspendAccount } from '#accounts/actions/suspend_and_resume'
import standing from '#accounts/schedules/apply_suspensions_and_resumes'
import Operation from '#core/models/operation'
import { actorOf } from '#identity/public'
import { makeInstance } from '#tests/support/instances'
import { makeCustomer, makeStaff, signIn } from '#tests/support/people'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

test.group('Suspension of an account', () => {
  test('suspension stops running instances, and resuming starts only those', async ({ assert }) => {
    const owner = await makeCustomer()
    const [running, stopped, punished] = [
      await makeInstance(owner, 'active'),
      await makeInstance(owner, 'stopped'),
      await makeInstance(owner, 'suspended'),
    ]
    const browser = await signIn(owner)
    const staff = await signIn(await makeStaff('administrator'))
    const none = await staff.post('/admin/customer/suspend', { id: owner.id })
    assert.equal(none.status, 422)
    const asked = { id: owner.id, reason: 'Bill 7 is overdue.' }
    assert.equal((await staff.post('/admin/customer/suspend', asked)).status, 200)
    assert.equal((await staff.post('/admin/customer/suspend', asked)).status, 409)

    const states = async () => {
      for (const one of [running, stopped, punished]) await one.refresh()
      return [running.status, stopped.status, punished.status]
    }
    assert.deepEqual(await states(), ['suspended', 'suspended', 'suspended'])
    assert.include(running.statusReason, 'Bill 7 is overdue.')
    const mail = await db
      .from('outbox_mails')
      .where('to', owner.email)
      .orderBy('id', 'desc')
      .first()
    assert.include(mail.text, 'Bill 7 is overdue.')

    assert.equal((await browser.page(`/server-instance/${running.id}`)).status, 200)
    const order = await browser.post('/server-instance/store', {})
    assert.deepEqual([order.status, order.json.code], [403, 'account_suspended'])
    assert.include(order.json.message, 'Bill 7 is overdue.')
    assert.equal((await browser.post('/profile/update', { name: 'Ada' })).status, 200)
    const alone = await staff.post('/admin/server-instance/resume', {
      id: running.id,
      name: running.name,
    })
    assert.equal(alone.status, 409)

    const held = await Operation.query().where('subjectId', String(running.id)).firstOrFail()
    assert.equal(held.kind, 'instance.suspend')
    await Operation.query()
      .whereIn('subjectId', [running.id, stopped.id].map(String))
      .update({ status: 'done' })
    assert.equal((await staff.post('/admin/customer/resume', { id: owner.id })).status, 200)
    const [, second, third] = await states()
    assert.deepEqual([second, third], ['stopped', 'suspended'])
    const back = await Operation.query()
      .where({ subjectId: String(running.id), kind: 'instance.resume' })
      .firstOrFail()
    assert.equal(back.status, 'queued')
  })

  test('the schedule stops instances that start during a suspension, and resuming restarts them', async ({
    assert,
  }) => {
    const owner = await makeCustomer()
    const late = await makeInstance(owner, 'pending')
    const by = { actor: await actorOf(await makeStaff('administrator')) }
    await suspendAccount(owner.id, 'Checked', by)
    await late.merge({ status: 'active' }).save()
    await standing.run(new AbortController().signal)
    await late.refresh()
    assert.deepEqual([late.status, late.heldFrom], ['suspended', 'active'])

    // Resumes the account while an operation is still stopping its instance. The schedule must resume the instance
    // afterwards.
    await resumeAccount(owner.id, by)
    const works = () =>
      Operation.query().where({ subjectId: String(late.id), kind: 'instance.resume' })
    assert.isEmpty(await works())
    await Operation.query().where('subjectId', String(late.id)).update({ status: 'done' })
    await standing.run(new AbortController().signal)
    assert.lengthOf(await works(), 1)
  })
})
