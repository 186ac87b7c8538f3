import Member from '#accounts/models/member'
import Operation from '#core/models/operation'
import { defineOperation, recordOutput, startOperation } from '#core/operations/operations'
import { createStepContext, runSteps } from '#core/operations/runner'
import { makeCustomer, signIn } from '#tests/support/people'
import { test } from '@japa/runner'
import { randomUUID } from 'node:crypto'

const operationKind = defineOperation<Record<string, never>>({
  kind: 'test.with-output',
  queue: 'machine',
  steps: [{ key: 'only', label: 'The only step', run: async () => {} }],
})

test.group('Output of an operation', () => {
  test('is visible to members who may use instances, and is deleted when the operation ends', async ({
    assert,
  }) => {
    const owner = await makeCustomer()
    const operation = await startOperation(
      operationKind,
      {},
      { title: 'Test', accountId: owner.id, subject: { type: 'test', id: randomUUID() } }
    )
    const context = createStepContext(operation, new AbortController().signal)
    await recordOutput(context, ['TOKEN=secret'])
    const path = `/operations/${operation.id}`
    const ownerVisitor = await signIn(owner)
    const { json } = await ownerVisitor.get(`${path}/output`)
    assert.deepEqual(json.data, { output: ['TOKEN=secret'] })
    const member = await makeCustomer()
    await Member.create({ accountId: owner.id, personId: member.id, role: 'billing' })
    const billing = await signIn(member)
    await billing.post('/account/switch', { id: owner.id })
    assert.equal((await billing.get(`${path}/output`)).status, 403)
    const shown = await billing.get(path)
    assert.equal(shown.status, 200)
    assert.notInclude(JSON.stringify(shown.json), 'secret')
    await runSteps(operation.id)
    const done = await Operation.findOrFail(operation.id)
    assert.equal(done.status, 'done')
    assert.notProperty(done.state, 'output')
  })
})
