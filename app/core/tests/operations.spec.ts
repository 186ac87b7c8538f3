import {
  newRequestId,
  type TraceContext,
  withTraceContext,
} from '#packages/telemetry/trace_context'
import Operation from '#core/models/operation'
import { subscribe } from '#core/live/live_events'
import {
  cancelOperation,
  defineOperation,
  recordOutput,
  RetryLater,
  startOperation,
} from '#core/operations/operations'
import { listDueOperationIds, OPERATION_QUEUES, operationLockKey } from '#core/operations/queues'
import {
  createStepContext,
  MAX_STEP_RUNS,
  OperationRunner,
  runSteps,
  SUSPECT_STEP_RUNS,
} from '#core/operations/runner'
import { giveUpOperation, retryOperation } from '#core/operations/stuck_operations'
import { AppError } from '#core/app_error'
import { withLock } from '#core/locks'
import { breakLock } from '#tests/support/break_lock'
import { eventually } from '#tests/support/eventually'
import { actorOf, makeCustomer, makeStaff } from '#tests/support/people'
import { failLeftoverOperations } from '#tests/support/worker'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { randomUUID } from 'node:crypto'

const ran: string[] = []
const about = () => ({
  title: 'Test',
  accountId: null,
  subject: { type: 'test', id: randomUUID() },
})

const twoSteps = defineOperation<{ tag: string; failAt?: string }>({
  kind: 'test.two-steps',
  queue: 'machine',
  steps: ['first', 'second'].map((key) => ({
    key,
    label: `The ${key} step`,
    async run({ tag, failAt }, context) {
      ran.push(`${tag}:${key}`)
      if (failAt === key) throw new AppError('test', 409, 'No room on any host.')
      await context.saveState(key, 'seen')
    },
  })),
  async result(_input, { state }) {
    return state
  },
  async failed({ tag }, reason) {
    ran.push(`${tag}:failed:${reason}`)
  },
})

const failsOddly = defineOperation<{ tag: string; isResult?: boolean }>({
  kind: 'test.fails-oddly',
  queue: 'machine',
  steps: [
    {
      key: 'only',
      label: 'The only step',
      async run({ isResult }) {
        // The message contains characters that PostgreSQL cannot store. The input is stored, so the message cannot
        // be passed in it.
        if (!isResult) throw new Error('a\0b \ud800')
      },
    },
  ],
  async result() {
    throw new Error('c\0d')
  },
})

const interrupted = defineOperation<{ tag: string }>({
  kind: 'test.interrupted',
  queue: 'machine',
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

const waits = defineOperation<{ tag: string }>({
  kind: 'test.waits',
  queue: 'transfer',
  steps: [
    {
      key: 'wait',
      label: 'Wait for somebody else',
      async run({ tag }) {
        ran.push(`${tag}:wait`)
        if (of(tag).length < 3) throw new RetryLater('They are not there yet', 300)
      },
    },
  ],
})

/** An operation that runs until the test releases it. */
const hangs = defineOperation<{ tag: string }>({
  kind: 'test.hangs',
  queue: 'transfer',
  steps: [
    {
      key: 'hang',
      label: 'Hang',
      async run({ tag }, { signal }) {
        ran.push(`${tag}:hang`)
        while (!released.has(tag)) {
          signal.throwIfAborted()
          await new Promise((resolve) => setTimeout(resolve, 20))
        }
      },
    },
  ],
})
const released = new Set<string>()

/** An operation whose second step never ends, as if the worker had died. */
const vanishes = defineOperation<{ tag: string }>({
  kind: 'test.vanishes',
  queue: 'guest',
  steps: ['first', 'second'].map((key) => ({
    key,
    label: `The ${key} step`,
    async run({ tag }) {
      ran.push(`${tag}:${key}`)
      if (key === 'second' && !mended.has(tag)) await new Promise(() => {})
    },
  })),
})

const breaks = defineOperation<{ tag: string }>({
  kind: 'test.breaks',
  queue: 'guest',
  steps: [
    {
      key: 'only',
      label: 'The only step',
      async run({ tag }) {
        ran.push(`${tag}:only`)
      },
    },
  ],
  async result({ tag }) {
    ran.push(`${tag}:result`)
    if (!mended.has(tag)) throw new Error('nobody thought of that')
    return {}
  },
  async failed({ tag }) {
    ran.push(`${tag}:failed`)
  },
})
const mended = new Set<string>()

const secondVersion = defineOperation<{ tag: string; count: number }>({
  kind: 'test.second-version',
  queue: 'guest',
  version: 2,
  upgrade(operation) {
    operation.input = { ...operation.input, count: 1 }
    operation.steps = [...operation.steps, { key: 'new', label: 'New', status: 'waiting' }]
  },
  steps: ['old', 'new'].map((key) => ({
    key,
    label: key,
    run: async ({ tag, count }) => void ran.push(`${tag}:${key}:${count}`),
  })),
})

const cancellable = defineOperation<{ tag: string }>({
  kind: 'test.cancellable',
  queue: 'machine',
  cancellable: true,
  steps: [
    {
      key: 'wait',
      label: 'Wait to be cancelled',
      async run({ tag }, { signal, stopSignal }) {
        ran.push(`${tag}:wait`)
        await new Promise((_, reject) =>
          signal.addEventListener('abort', () => reject(new Error('cut off')), { once: true })
        ).finally(() => {
          if (stopSignal.aborted) ran.push(`${tag}:stopped`)
        })
      },
    },
  ],
  async failed({ tag }) {
    ran.push(`${tag}:failed`)
  },
})

const cleansUpLater = defineOperation<{ tag: string }>({
  kind: 'test.cleans-up-later',
  queue: 'machine',
  steps: [
    {
      key: 'only',
      label: 'The only step',
      async run({ tag }) {
        ran.push(`${tag}:only`)
        throw new AppError('test', 409, 'No room on any host.')
      },
    },
  ],
  async failed({ tag }, reason) {
    ran.push(`${tag}:failed:${reason}`)
    if (of(tag).length < 3) throw new RetryLater('Waiting to clean up', 300)
  },
})

const rememberer = defineOperation<{ tag: string }>({
  kind: 'test.rememberer',
  queue: 'machine',
  steps: [
    {
      key: 'only',
      label: 'The only step',
      async run(_input, { state, saveState }) {
        await saveState('seen', [1])
        await saveState('seen', [...(state.seen as number[]), 2])
      },
    },
  ],
  async result(_input, { state }) {
    return state
  },
})

const losesLock = defineOperation<{ tag: string }>({
  kind: 'test.loses-lock',
  queue: 'machine',
  steps: [
    {
      key: 'only',
      label: 'The only step',
      run: ({ tag }) =>
        withLock(tag, async ({ lost }) => {
          ran.push(`${tag}:only`)
          if (of(tag).length > 1) return
          await breakLock(tag)
          while (!lost.aborted) await new Promise((resolve) => setTimeout(resolve, 10))
        }),
    },
  ],
})

const goesThrough = defineOperation<{ tag: string }>({
  kind: 'test.goes-through',
  queue: 'machine',
  cancellable: true,
  steps: [
    {
      key: 'only',
      label: 'The only step',
      async run({ tag }, { commitPoint }) {
        await commitPoint()
        ran.push(`${tag}:through`)
        while (!released.has(tag)) await new Promise((resolve) => setTimeout(resolve, 20))
      },
    },
  ],
})

const staffActor = async () => await actorOf(await makeStaff('administrator'))

const of = (tag: string) => ran.filter((entry) => entry.startsWith(tag))

test.group('Operations', () => {
  test('repeat a step that lost its lock', async ({ assert }) => {
    const tag = randomUUID()
    const { id } = await startOperation(losesLock, { tag }, about())
    await runSteps(id)
    const { status, trouble } = await Operation.findOrFail(id)
    assert.equal(status, 'running')
    assert.include(trouble, 'lost the connection')
    await runSteps(id)
    assert.equal((await Operation.findOrFail(id)).status, 'done')
    assert.lengthOf(of(tag), 2)
  })

  test('run their steps in order, save results and publish their progress', async ({ assert }) => {
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
    // One event at the start of each of the two steps, one at the end. The event of the operation's creation may
    // arrive late.
    await eventually(() => assert.oneOf(told, [3, 4]))
    stop()
  })

  test('have a request id only if a person’s request started them, not a schedule', async ({
    assert,
  }) => {
    const id = newRequestId()
    const start = (origin: TraceContext) =>
      withTraceContext(origin, () => startOperation(twoSteps, { tag: randomUUID() }, about()))
    assert.equal((await start({ id, isRequest: true })).requestId, id)
    assert.isNull((await start({ id })).requestId)
  })

  test('fail at a failing step with its message, and do not run again', async ({ assert }) => {
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

  test('fail normally if PostgreSQL cannot store the message of their error', async ({
    assert,
  }) => {
    const tag = randomUUID()
    const { id } = await startOperation(failsOddly, { tag }, about())
    await runSteps(id)
    const { status, error } = await Operation.findOrFail(id)
    assert.deepEqual([status, error], ['failed', 'The only step failed: ab \ufffd'])
    const later = await startOperation(failsOddly, { tag, isResult: true }, about())
    await runSteps(later.id)
    const { trouble } = await Operation.findOrFail(later.id)
    assert.equal(trouble, 'cd')
  })

  test('resume after an interruption without repeating completed steps', async ({ assert }) => {
    const tag = randomUUID()
    const operation = await startOperation(twoSteps, { tag }, about())
    operation.steps = [{ ...operation.steps[0], status: 'done' }, operation.steps[1]]
    operation.status = 'running'
    await operation.save()
    await runSteps(operation.id)
    assert.deepEqual(of(tag), [`${tag}:second`])
    assert.equal((await Operation.findOrFail(operation.id)).status, 'done')
  })

  test('do not exist if the transaction that started them is rolled back', async ({ assert }) => {
    const trx = await db.transaction()
    const { id } = await startOperation(twoSteps, { tag: randomUUID() }, { ...about(), trx })
    await trx.rollback()
    assert.isNull(await Operation.find(id))
  })

  test('are taken over by another worker when theirs stops in a step', async ({ assert }) => {
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

  test('are never run by a worker that has stopped', async ({ assert }) => {
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

  test('read the state that they have saved, even through a destructured context', async ({
    assert,
  }) => {
    const operation = await startOperation(rememberer, { tag: randomUUID() }, about())
    await runSteps(operation.id)
    const { status, result } = await Operation.findOrFail(operation.id)
    assert.equal(status, 'done')
    assert.deepEqual(result, { seen: [1, 2] })
  })

  test('cannot be cancelled after the commit point, and fail there if they were cancelled before', async ({
    assert,
  }) => {
    const tag = randomUUID()
    const operation = await startOperation(goesThrough, { tag }, about())
    const run = runSteps(operation.id)
    await eventually(() => assert.deepEqual(of(tag), [`${tag}:through`]))
    await assert.rejects(
      () => cancelOperation(operation),
      'This operation can no longer be cancelled.'
    )
    released.add(tag)
    await run
    assert.equal((await Operation.findOrFail(operation.id)).status, 'done')

    const late = await startOperation(goesThrough, { tag: randomUUID() }, about())
    const context = createStepContext(
      await Operation.findOrFail(late.id),
      new AbortController().signal
    )
    await cancelOperation(late)
    await assert.rejects(() => context.commitPoint(), 'Cancelled. Nothing was changed.')
  })

  test('keep the last 200 lines of their output, and shorten long lines', async ({ assert }) => {
    const operation = await startOperation(twoSteps, { tag: randomUUID() }, about())
    const context = createStepContext(operation, new AbortController().signal)
    await recordOutput(context, ['first', 'x'.repeat(9_000)])
    await recordOutput(
      context,
      Array.from({ length: 199 }, (_, index) => `line ${index}`)
    )
    const { output } = await Operation.findOrFail(operation.id)
    assert.lengthOf(output, 200)
    assert.deepEqual([output[0], output.at(-1)], ['x'.repeat(500), 'line 198'])
    await recordOutput(
      context,
      Array.from({ length: 199 }, () => '€'.repeat(500))
    )
    await recordOutput(context, ['last'])
    const { output: large } = await Operation.findOrFail(operation.id)
    // Each line is cut to 500 characters, here 1,500 bytes. The oldest lines are removed above 32 KiB.
    assert.deepEqual([large.length, large.at(-1)], [22, 'last'])
    await operation.merge({ status: 'failed' }).save()
  })

  test('save output and notes with a cut emoji or NUL characters, which PostgreSQL rejects', async ({
    assert,
  }) => {
    const operation = await startOperation(twoSteps, { tag: randomUUID() }, about())
    const [first, second] = operation.steps
    await operation.merge({ steps: [{ ...first, status: 'running' }, second] }).save()
    const context = createStepContext(operation, new AbortController().signal)
    await recordOutput(context, [`${'a'.repeat(499)}😀`, 'b\0c'])
    await context.reportProgress('d\0 😀'.slice(0, 4))
    const saved = await Operation.findOrFail(operation.id)
    assert.deepEqual(saved.output, [`${'a'.repeat(499)}�`, 'bc'])
    assert.equal(saved.steps[0].note, 'd �')
    await operation.merge({ status: 'failed' }).save()
  })

  test('fail after a clean-up that must wait, without repeating the failed step', async ({
    assert,
  }) => {
    const tag = randomUUID()
    const { id } = await startOperation(cleansUpLater, { tag }, about())
    await runSteps(id)
    const waiting = await Operation.findOrFail(id)
    assert.equal(waiting.status, 'running')
    assert.equal(waiting.steps[0].note, 'Waiting to clean up')
    assert.notInclude(await listDueOperationIds('machine', 1_000), id)
    await runSteps(id)
    const { status, error } = await Operation.findOrFail(id)
    assert.deepEqual([status, error], ['failed', 'No room on any host.'])
    const failed = `${tag}:failed:No room on any host.`
    assert.deepEqual(of(tag), [`${tag}:only`, failed, failed])
  })

  test('fail and clean up once when they are cancelled, if their kind allows it', async ({
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
    await assert.rejects(
      () => cancelOperation(cancelled),
      'This operation can no longer be cancelled.'
    )

    const waiting = await startOperation(cancellable, { tag: randomUUID() }, about())
    await cancelOperation(waiting)
    await runSteps(waiting.id)
    assert.equal((await Operation.findOrFail(waiting.id)).status, 'failed')

    const other = await startOperation(twoSteps, { tag: randomUUID() }, about())
    await assert.rejects(() => cancelOperation(other), 'This operation can no longer be cancelled.')
  })
})

test.group('Fair scheduling of operations', (group) => {
  const accounts: number[] = []

  group.setup(async () => {
    while (accounts.length <= OPERATION_QUEUES.transfer.slots)
      accounts.push((await makeCustomer()).id)
  })
  group.each.setup(failLeftoverOperations)

  /** `account` is an index into the accounts of this test group. */
  const start = (kind: typeof hangs, account: number | null, tag: string) =>
    startOperation(
      kind,
      { tag },
      { ...about(), accountId: account === null ? null : accounts[account] }
    )

  test('an account with many operations leaves slots to others', async ({ assert, cleanup }) => {
    const [greedy, modest] = [randomUUID(), randomUUID()]
    for (let count = 0; count < 20; count++) await start(hangs, 1, greedy)
    const runners = [new OperationRunner(), new OperationRunner()]
    cleanup(async () => {
      for (const tag of [greedy, modest]) released.add(tag)
      await Promise.all(runners.map((runner) => runner.stop()))
      await failLeftoverOperations()
    })
    await runners[0].start()
    await eventually(() => assert.lengthOf(of(greedy), OPERATION_QUEUES.transfer.share))
    // Operations that the other worker runs count towards the account's share.
    await runners[1].start()
    await start(hangs, 2, modest)
    await eventually(() => assert.lengthOf(of(modest), 1))
    assert.lengthOf(of(greedy), OPERATION_QUEUES.transfer.share)
    released.add(greedy)
    await eventually(() => assert.lengthOf(of(greedy), 20))
  })

  test('an operation in one queue does not wait for another queue', async ({ assert, cleanup }) => {
    const hanging = randomUUID()
    for (let owner = 1; owner <= OPERATION_QUEUES.transfer.slots; owner++)
      await start(hangs, owner, hanging)
    const runner = new OperationRunner()
    cleanup(async () => {
      released.add(hanging)
      await runner.stop()
    })
    await runner.start()
    await eventually(() => assert.lengthOf(of(hanging), OPERATION_QUEUES.transfer.slots))
    const tag = randomUUID()
    await startOperation(twoSteps, { tag }, about())
    await eventually(() => assert.lengthOf(of(tag), 2))
  })

  test('accounts take turns', async ({ assert }) => {
    const ids = new Map<string, string>()
    for (const owner of [1, 1, 1, 2, 3]) {
      const { id } = await start(hangs, owner, 'turn')
      ids.set(id, `account ${owner}`)
    }
    const turns = (await listDueOperationIds('transfer', 4)).map((id) => ids.get(id))
    assert.deepEqual(turns, ['account 1', 'account 2', 'account 3', 'account 1'])
  })

  test('an operation that waits frees its slot, and resumes by itself', async ({
    assert,
    cleanup,
  }) => {
    const [tag, other] = [randomUUID(), randomUUID()]
    released.add(other)
    const runner = new OperationRunner()
    cleanup(() => runner.stop())
    for (let count = 0; count < OPERATION_QUEUES.transfer.slots; count++)
      await start(waits, null, tag)
    await runner.run((await start(waits, null, randomUUID())).id, 'transfer')
    await runner.start()
    await eventually(() => assert.isAtLeast(of(tag).length, 3))
    const { id } = await start(hangs, 5, other)
    await eventually(async () => assert.equal((await Operation.findOrFail(id)).status, 'done'))
    await eventually(async () => {
      const open = await Operation.query().where('kind', 'test.waits').whereNot('status', 'done')
      assert.lengthOf(open, 0)
    })
  })

  test('an operation with unexpected errors is retried a few times, then waits for staff', async ({
    assert,
  }) => {
    const tag = randomUUID()
    const { id } = await startOperation(breaks, { tag }, about())
    const due = () => Operation.query().where({ id }).update({ due_at: new Date() })
    for (let attempt = 1; attempt <= 6; attempt++) {
      await due()
      await runSteps(id)
    }
    const stuck = await Operation.findOrFail(id)
    assert.equal(stuck.status, 'stuck')
    assert.equal(stuck.trouble, 'nobody thought of that')
    assert.equal(stuck.attempts, 5)
    assert.lengthOf(of(`${tag}:result`), 5)

    mended.add(tag)
    const actor = await staffActor()
    await retryOperation(stuck, actor)
    await runSteps(id)
    assert.equal((await Operation.findOrFail(id)).status, 'done')
    await assert.rejects(() => retryOperation(stuck, actor), 'This operation is no longer stuck.')
    await assert.rejects(() => giveUpOperation(stuck, actor), 'This operation is no longer stuck.')
  })

  test('an operation whose worker dies many times waits for staff', async ({ assert }) => {
    const tag = randomUUID()
    const { id } = await startOperation(vanishes, { tag }, about())
    for (let run = 1; run <= MAX_STEP_RUNS; run++) {
      void runSteps(id)
      await eventually(() => assert.lengthOf(of(`${tag}:second`), run))
      assert.equal((await Operation.findOrFail(id)).stepRuns, run)
    }
    await runSteps(id)
    const stuck = await Operation.findOrFail(id)
    assert.equal(stuck.status, 'stuck')
    assert.equal(
      stuck.trouble,
      'The worker stopped 20 times while it ran the step “The second step”.'
    )
    assert.lengthOf(of(`${tag}:first`), 1)
    assert.lengthOf(of(`${tag}:second`), MAX_STEP_RUNS)

    mended.add(tag)
    await retryOperation(stuck, await staffActor())
    await runSteps(id)
    assert.containsSubset(await Operation.findOrFail(id), { status: 'done', stepRuns: 0 })
  })

  test('a run of a step that waits is not counted', async ({ assert }) => {
    const tag = randomUUID()
    const { id } = await startOperation(waits, { tag }, about())
    await runSteps(id)
    const waiting = await Operation.findOrFail(id)
    assert.containsSubset(waiting, { status: 'running', stepRuns: 0 })
    await waiting.merge({ status: 'failed' }).save()
  })

  test('a run that an orderly stop of the worker interrupts is not counted', async ({ assert }) => {
    const tag = randomUUID()
    const { id } = await start(hangs, null, tag)
    const runner = new OperationRunner()
    void runner.run(id, 'transfer')
    await eventually(() => assert.lengthOf(of(tag), 1))
    assert.equal((await Operation.findOrFail(id)).stepRuns, 1)
    await runner.stop()
    assert.equal((await Operation.findOrFail(id)).stepRuns, 0)
    await Operation.query().where({ id }).update({ status: 'failed' })
  })

  test('a run in which the operation loses its lock is not counted', async ({
    assert,
    cleanup,
  }) => {
    const tag = randomUUID()
    const { id } = await start(hangs, null, tag)
    const runner = new OperationRunner()
    cleanup(() => runner.stop())
    for (let run = 1; run <= 2; run++) {
      const running = runner.run(id, 'transfer')
      await eventually(() => assert.lengthOf(of(tag), run))
      assert.equal((await Operation.findOrFail(id)).stepRuns, 1)
      await breakLock(operationLockKey(id))
      await running
      const { status, stepRuns } = await Operation.findOrFail(id)
      assert.deepEqual([status, stepRuns], ['running', 0])
    }
    await Operation.query().where({ id }).update({ status: 'failed' })
  })

  test('of several operations in a queue that may kill their worker, one runs at a time, and the others say why they wait', async ({
    assert,
    cleanup,
  }) => {
    const tag = randomUUID()
    const runner = new OperationRunner()
    cleanup(async () => {
      released.add(tag)
      await runner.stop()
    })
    const [first, second] = [await start(hangs, null, tag), await start(hangs, null, tag)]
    const ids = [first.id, second.id]
    const begun = second.steps.map((step) => Object.assign(step, { status: 'running' }))
    await Operation.query()
      .where('id', second.id)
      .update({ status: 'running', steps: JSON.stringify(begun) })
    const other = await startOperation(twoSteps, { tag: randomUUID() }, about())
    await Operation.query()
      .whereIn('id', [...ids, other.id])
      .update({ step_runs: SUSPECT_STEP_RUNS })
    const running = runner.run(first.id, 'transfer')
    await eventually(() => assert.lengthOf(of(tag), 1))
    await runner.run(second.id, 'transfer')
    assert.lengthOf(of(tag), 1)
    assert.match((await Operation.findOrFail(second.id)).steps[0].note!, /waits until another/)
    await runner.run(other.id, 'machine')
    assert.equal((await Operation.findOrFail(other.id)).status, 'done')
    released.add(tag)
    await running
    await runner.run(second.id, 'transfer')
    const done = await Operation.findOrFail(second.id)
    assert.equal(done.status, 'done')
    assert.isUndefined(done.steps[0].note)
  })

  test('staff can end a stuck operation, which then cleans up', async ({ assert }) => {
    const tag = randomUUID()
    const operation = await startOperation(breaks, { tag }, about())
    await operation.merge({ status: 'stuck', trouble: 'x' }).save()
    await giveUpOperation(operation, await staffActor())
    const ended = await Operation.findOrFail(operation.id)
    assert.equal(ended.status, 'failed')
    assert.match(ended.error!, /Our staff ended it/)
    assert.deepEqual(of(tag), [`${tag}:failed`])
    const { rows } = await db.rawQuery(
      `select action from audit_entries where subject_type = 'operation' and subject_id = ?`,
      [operation.id]
    )
    assert.deepEqual(rows, [{ action: 'operation.given_up' }])
  })

  test('a worker upgrades operations of an earlier version, and leaves later versions to newer workers', async ({
    assert,
  }) => {
    const tag = randomUUID()
    const old = await startOperation(secondVersion, { tag, count: 0 }, about())
    const steps = [{ ...old.steps[0], status: 'done' as const }]
    await old.merge({ version: 1, steps }).save()
    await runSteps(old.id)
    assert.deepEqual(of(tag), [`${tag}:new:1`])
    assert.equal((await Operation.findOrFail(old.id)).version, 2)

    const later = await startOperation(secondVersion, { tag: 'later', count: 0 }, about())
    await later.merge({ version: 3 }).save()
    await runSteps(later.id)
    const left = await Operation.findOrFail(later.id)
    assert.equal(left.status, 'queued')
    assert.isAbove(left.dueAt.toMillis(), Date.now())
    assert.isEmpty(of('later'))
  })

  test('two operation kinds cannot have the same name', ({ assert }) => {
    const twin = { kind: 'test.hangs', queue: 'guest' as const, steps: [] }
    assert.throws(() => defineOperation(twin), 'Two operations have the kind test.hangs')
  })
})
