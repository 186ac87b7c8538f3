import Operation from '#core/models/operation'
import { subscribe } from '#core/live/live'
import { cancelOperation, defineOperation, startOperation } from '#core/operations/operations'
import { OperationRunner, runSteps } from '#core/operations/runner'
import { Refusal } from '#core/refusal'
import { eventually } from '#tests/support/eventually'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { randomUUID } from 'node:crypto'

const ran: string[] = []
const about = () => ({ title: 'Test', ownerId: null, subject: { type: 'test', id: randomUUID() } })

const twoSteps = defineOperation<{ tag: string; failAt?: string }>({
  kind: 'test.two-steps',
  steps: ['first', 'second'].map((key) => ({
    key,
    label: `The ${key} step`,
    async run({ tag, failAt }, context) {
      ran.push(`${tag}:${key}`)
      if (failAt === key) throw new Refusal('test', 409, 'No room on any host.')
      await context.remember(key, 'seen')
    },
  })),
  async result(_input, { memory }) {
    return memory
  },
  async failed({ tag }, reason) {
    ran.push(`${tag}:failed:${reason}`)
  },
})

const interrupted = defineOperation<{ tag: string }>({
  kind: 'test.interrupted',
  steps: [
    {
      key: 'only',
      label: 'The only step',
      async run({ tag }, { signal }) {
        ran.push(`${tag}:only`)
        if (ran.filter((entry) => entry === `${tag}:only`).length > 1) return
        await new Promise((_, reject) =>
          signal.addEventListener('abort', () => reject(new Error('cut off')), { once: true })
        )
      },
    },
  ],
})

const cancellable = defineOperation<{ tag: string }>({
  kind: 'test.cancellable',
  cancellable: true,
  steps: [
    {
      key: 'wait',
      label: 'Wait to be cancelled',
      async run({ tag }, { signal }) {
        ran.push(`${tag}:wait`)
        await new Promise((_, reject) =>
          signal.addEventListener('abort', () => reject(new Error('cut off')), { once: true })
        )
      },
    },
  ],
  async failed({ tag }) {
    ran.push(`${tag}:failed`)
  },
})

const of = (tag: string) => ran.filter((entry) => entry.startsWith(tag))

test.group('Operations', () => {
  test('run their steps in order, keep what they found and tell who follows', async ({
    assert,
  }) => {
    const tag = randomUUID()
    const { id } = await startOperation(twoSteps, { tag }, about())
    let told = 0
    const stop = await subscribe(`operation:${id}`, () => told++)
    await runSteps(id)
    const done = await Operation.findOrFail(id)
    assert.deepEqual(of(tag), [`${tag}:first`, `${tag}:second`])
    assert.equal(done.status, 'done')
    assert.deepEqual(done.result, { first: 'seen', second: 'seen' })
    assert.isTrue(
      done.steps.every((step) => step.status === 'done' && step.startedAt && step.endedAt)
    )
    // At the beginning of each step and at the end.
    await eventually(() => assert.equal(told, 3))
    stop()
  })

  test('end at a step that fails, with its words, and are not run again', async ({ assert }) => {
    const tag = randomUUID()
    const { id } = await startOperation(twoSteps, { tag, failAt: 'first' }, about())
    await runSteps(id)
    await runSteps(id)
    const failed = await Operation.findOrFail(id)
    assert.equal(failed.status, 'failed')
    assert.equal(failed.error, 'No room on any host.')
    assert.deepEqual(of(tag), [`${tag}:first`, `${tag}:failed:No room on any host.`])
    assert.deepEqual(
      failed.steps.map((step) => step.status),
      ['failed', 'waiting']
    )
  })

  test('go on after an interruption without doing done steps again', async ({ assert }) => {
    const tag = randomUUID()
    const operation = await startOperation(twoSteps, { tag }, about())
    operation.steps = [{ ...operation.steps[0], status: 'done' }, operation.steps[1]]
    operation.status = 'running'
    await operation.save()
    await runSteps(operation.id)
    assert.deepEqual(of(tag), [`${tag}:second`])
    assert.equal((await Operation.findOrFail(operation.id)).status, 'done')
  })

  test('do not exist when the transaction that started them is undone', async ({ assert }) => {
    const trx = await db.transaction()
    const { id } = await startOperation(twoSteps, { tag: randomUUID() }, { ...about(), trx })
    await trx.rollback()
    assert.isNull(await Operation.find(id))
    const jobs = await db.rawQuery(`select 1 from pgboss.job where data->>'id' = ?`, [id])
    assert.lengthOf(jobs.rows, 0)
  })

  test('are taken over by another worker when theirs stops in the middle', async ({ assert }) => {
    const tag = randomUUID()
    const first = new OperationRunner()
    const second = new OperationRunner()
    const { id } = await startOperation(interrupted, { tag }, about())
    const cut = first.run(id)
    await eventually(() => assert.lengthOf(of(tag), 1))
    await second.run(id)
    assert.lengthOf(of(tag), 1, 'two workers never run the same operation at once')
    await first.stop()
    await cut
    assert.equal((await Operation.findOrFail(id)).status, 'running')
    await second.run(id)
    assert.equal((await Operation.findOrFail(id)).status, 'done')
    assert.lengthOf(of(tag), 2)
    await second.stop()
  })

  test('are never given to a worker that has stopped', async ({ assert }) => {
    const [stopped, other] = [new OperationRunner(), new OperationRunner()]
    const asked: string[] = []
    stopped.run = async (id) => void asked.push(id)
    await stopped.start()
    await stopped.stop()
    asked.length = 0
    await other.start()
    const tag = randomUUID()
    for (let count = 0; count < 8; count++) await startOperation(twoSteps, { tag }, about())
    await eventually(() => assert.lengthOf(of(tag), 16))
    await other.stop()
    assert.deepEqual(asked, [])
  })

  test('end and clean up when they are cancelled, once, and only where their kind allows it', async ({
    assert,
  }) => {
    const tag = randomUUID()
    const operation = await startOperation(cancellable, { tag }, about())
    const run = runSteps(operation.id)
    await eventually(() => assert.deepEqual(of(tag), [`${tag}:wait`]))
    await cancelOperation(operation)
    await run
    const cancelled = await Operation.findOrFail(operation.id)
    assert.equal(cancelled.status, 'failed')
    assert.equal(cancelled.error, 'Cancelled. Nothing was changed.')
    assert.deepEqual(of(tag), [`${tag}:wait`, `${tag}:failed`])
    await assert.rejects(() => cancelOperation(cancelled), 'This cannot be cancelled any more.')

    const waiting = await startOperation(cancellable, { tag: randomUUID() }, about())
    await cancelOperation(waiting)
    await runSteps(waiting.id)
    assert.equal((await Operation.findOrFail(waiting.id)).status, 'failed')

    const other = await startOperation(twoSteps, { tag: randomUUID() }, about())
    await assert.rejects(() => cancelOperation(other), 'This cannot be cancelled any more.')
  })
})
