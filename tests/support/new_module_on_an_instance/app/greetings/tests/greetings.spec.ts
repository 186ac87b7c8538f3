import Operation from '#core/models/operation'
import { runSteps } from '#core/operations/runner'
import Greeting from '#greetings/models/greeting'
import { GREETING_FILE } from '#greetings/operations/apply_greeting'
import { retryGreetings } from '#greetings/schedules/retry_greetings'
import { FakeGuest } from '#tests/support/fake_guest'
import { makeCustomer, makeStaff, signIn, type Visitor } from '#tests/support/people'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'

test.group('Greetings', (group) => {
  let guest: FakeGuest
  let owner: Visitor

  group.each.setup(async () => {
    const person = await makeCustomer()
    guest = await FakeGuest.start(person)
    owner = await signIn(person)
    return () => guest.stop()
  })

  const change = async (action: 'store' | 'update' | 'delete', body: object) => {
    const answer = await owner.post(`/greeting/${action}`, body)
    if (answer.status !== 202) throw new Error(`${answer.status} ${answer.text}`)
    const { id, operation_id: operationId } = answer.json.data as Record<string, string>
    await runSteps(operationId)
    return { id: Number(id), operation: await Operation.findOrFail(operationId) }
  }
  const rows = async (visitor: Visitor, path: string) =>
    (await visitor.page(path)).json.props!.rows as Record<string, unknown>[]

  test('are written as the site owner, changed and deleted', async ({ assert }) => {
    const server_instance_id = guest.instance.id
    const { id } = await change('store', { server_instance_id, text: 'Ahoy' })
    await change('update', { id, text: 'Ship ahoy' })
    assert.containSubset(await rows(owner, '/greeting/list'), [
      { id, text: 'Ship ahoy', status: 'written' },
    ])
    assert.equal(
      (await owner.post('/greeting/store', { server_instance_id, text: 'x' })).status,
      409
    )
    await change('delete', { id })
    assert.isEmpty(await rows(owner, '/greeting/list'))
    assert.deepEqual(guest.commandsAsOwner, [
      { argv: ['tee', GREETING_FILE], stdin: 'Ahoy\n' },
      { argv: ['tee', GREETING_FILE], stdin: 'Ship ahoy\n' },
      { argv: ['rm', '-f', GREETING_FILE], stdin: '' },
    ])
  })

  test('are listed for staff, with their customer', async ({ assert }) => {
    const { id } = await change('store', { server_instance_id: guest.instance.id, text: 'Ahoy' })
    const staff = await signIn(await makeStaff('support'))
    const found = (await rows(staff, '/admin/greeting/list')).filter((row) => row.id === id)
    assert.containSubset(found, [{ customer: { id: guest.instance.accountId }, text: 'Ahoy' }])
  })

  test('are written again later if the operation failed', async ({ assert }) => {
    guest.answer = { exitCode: 1, stderr: 'No space left on device' }
    const { id, operation } = await change('store', {
      server_instance_id: guest.instance.id,
      text: 'Ahoy',
    })
    assert.match(operation.error!, /^The greeting could not be written: No space left/)
    const greeting = await Greeting.findOrFail(id)
    assert.equal(greeting.status, 'failed')

    guest.answer = { exitCode: 0 }
    await retryGreetings(DateTime.utc())
    await greeting.refresh()
    assert.equal(greeting.status, 'failed', 'It is too early')
    await retryGreetings(DateTime.utc().plus({ minutes: 11 }))
    const retry = await Operation.query()
      .where({ subjectType: 'greeting', subjectId: String(id), status: 'queued' })
      .firstOrFail()
    await runSteps(retry.id)
    await greeting.refresh()
    assert.equal(greeting.status, 'written')
  })
})
