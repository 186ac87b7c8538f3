import type { StepState } from '#core/contracts/operation_view'
import Operation from '#core/models/operation'
import {
  listDueOperationIds,
  type OperationQueue,
  OPERATION_QUEUES,
  operationLockKey,
} from '#core/operations/queues'
import {
  publishOperation,
  publishProgress,
  findOperationKind,
  getOperationKind,
  RetryLater,
  type OperationKind,
  type StepContext,
  OPERATIONS_DUE_TOPIC,
} from '#core/operations/operations'
import { LockSession, LockUnavailableError } from '#core/locks'
import { subscribe } from '#core/live/live_events'
import { toAppErrorIfMachineError } from '#core/machine_errors'
import { AppError, conflict } from '#core/app_error'
import { storableText } from '#core/storable_text'
import { NotOnThisHost } from '#core/local_host'
import { createCounter } from '#packages/telemetry/metrics'
import { newRequestId, withTraceContext } from '#packages/telemetry/trace_context'
import { beginSpan, inSpan } from '#packages/telemetry/tracing'
import logger from '@adonisjs/core/services/logger'
import { DateTime } from 'luxon'
import { setTimeout as sleep } from 'node:timers/promises'

/** Polling finds due retries, and operations whose worker died. No event announces these. */
const POLL_INTERVAL_MS = 2_000
const countEnd = createCounter('berth_operations_ended_total', 'Finished operations', [
  'kind',
  'lane',
  'status',
])
/** After this many unexpected errors without a `RetryLater` in between, an operation is stuck until staff act. */
const MAX_FAILURES_IN_A_ROW = 5
/**
 * If the worker dies in this many runs of a step, the operation is stuck until staff act. High, because another
 * operation can also cause the deaths.
 */
export const MAX_STEP_RUNS = 20
/**
 * After the worker died in this many runs of a step, the operation is a suspect. Each worker runs at most one suspect
 * per queue at a time.
 */
export const SUSPECT_STEP_RUNS = 3
const SUSPECT_DELAY_SECONDS = 10
const TAKE_BACK_ATTEMPTS = 30
const SUSPECT_NOTE =
  'The worker stopped several times during this step. The step waits until another such operation ends'
/** Delay after the first unexpected error. It doubles with each further error. */
const BACKOFF_SECONDS = 5

/**
 * Runs each operation under a PostgreSQL advisory lock, so no operation runs twice at the same time. If a
 * worker dies, PostgreSQL releases its locks, and another worker takes over within seconds.
 */
export class OperationRunner {
  #locks = new LockSession()
  #running = new Map<string, { queue: OperationQueue; work: Promise<void> }>()
  #stop = new AbortController()
  #timer?: NodeJS.Timeout
  #forget?: () => void
  #looking?: Promise<void>
  #again = false
  /** The running suspect of each queue. One per queue, so that a suspect that takes hours delays no other queue. */
  #suspects = new Map<OperationQueue, string>()

  async start(): Promise<void> {
    this.#forget = await subscribe(OPERATIONS_DUE_TOPIC, () => this.#look())
    const sweep = () => {
      this.#look()
      this.#timer = setTimeout(sweep, POLL_INTERVAL_MS)
    }
    sweep()
  }

  /** Runs an operation unless another worker runs it. Resolves when it ends, waits or is interrupted. */
  async run(id: string, queue: OperationQueue = 'machine'): Promise<void> {
    const mine = this.#running.get(id)
    if (mine) return mine.work
    const work = this.#runUnderLock(id, queue).finally(() => {
      this.#running.delete(id)
      if (this.#timer) this.#look()
    })
    this.#running.set(id, { queue, work })
    return work
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#forget?.()
    const interrupted = [...this.#running.keys()]
    const works = [...this.#running.values()].map(({ work }) => work)
    await Promise.race([
      Promise.allSettled([...works, this.#looking]),
      new Promise((resolve) => setTimeout(resolve, 5_000)),
    ])
    await forgetInterruptedRuns(interrupted).catch((error) => {
      logger.warn({ err: error }, 'the run counts of interrupted steps could not be reset')
    })
    await this.#locks.end()
  }

  /** A call during a search for due operations causes another search afterwards. */
  #look(): void {
    this.#again = true
    this.#looking ??= this.#takeUp().finally(() => (this.#looking = undefined))
  }

  async #takeUp(): Promise<void> {
    while (this.#again && !this.#stop.signal.aborted) {
      this.#again = false
      try {
        for (const queue of Object.keys(OPERATION_QUEUES) as OperationQueue[])
          await this.#takeUpFromQueue(queue)
      } catch (error) {
        logger.warn({ err: error }, 'due operations could not be loaded')
      }
    }
  }

  async #takeUpFromQueue(queue: OperationQueue): Promise<void> {
    const busy = [...this.#running.values()].filter((each) => each.queue === queue).length
    const free = OPERATION_QUEUES[queue].slots - busy
    if (free <= 0) return
    for (const id of await listDueOperationIds(queue, free)) {
      if (this.#stop.signal.aborted) return
      this.run(id, queue).catch((error) => {
        logger.error({ err: error, operation: id }, 'operation could not be run')
      })
    }
  }

  async #runUnderLock(id: string, queue: OperationQueue): Promise<void> {
    const held = await this.#locks.tryHold(operationLockKey(id))
    if (!held) return
    try {
      if (await this.#waitsForSuspect(id, queue)) return
      await runSteps(id, AbortSignal.any([this.#stop.signal, held.lost]))
    } finally {
      if (this.#suspects.get(queue) === id) this.#suspects.delete(queue)
      // A lost lock ended the step. This run must not count as a death of the worker.
      if (held.lost.aborted && !this.#stop.signal.aborted) await this.#takeBackRun(id)
      await held.release()
    }
  }

  /** Retries, because PostgreSQL may be restarting. */
  async #takeBackRun(id: string): Promise<void> {
    for (let attempt = 1; attempt <= TAKE_BACK_ATTEMPTS; attempt++) {
      try {
        return await forgetInterruptedRuns([id])
      } catch (error) {
        logger.warn({ err: error, operation: id }, 'cannot forget the run of an interrupted step')
        if (this.#stop.signal.aborted) return
        await sleep(POLL_INTERVAL_MS, undefined, { ref: false })
      }
    }
  }

  /**
   * Delays a suspect (`SUSPECT_STEP_RUNS`) while another suspect of its queue runs. If a worker dies, the run
   * counts of all its operations remain increased. Running suspects one at a time shows which of them is the cause.
   */
  async #waitsForSuspect(id: string, queue: OperationQueue): Promise<boolean> {
    const operation = await Operation.findOrFail(id)
    if (operation.stepRuns < SUSPECT_STEP_RUNS) return false
    if (!this.#suspects.has(queue)) {
      this.#suspects.set(queue, id)
      return false
    }
    operation.dueAt = DateTime.utc().plus({ seconds: SUSPECT_DELAY_SECONDS })
    await createStepContext(operation, this.#stop.signal).reportProgress(SUSPECT_NOTE)
    await operation.save()
    return true
  }
}

/** Call it for steps that an orderly stop of the worker or a lost lock interrupted: no worker died in these runs. */
async function forgetInterruptedRuns(ids: string[]): Promise<void> {
  await Operation.query()
    .whereIn('id', ids)
    .where('status', 'running')
    .where('step_runs', '>', 0)
    .decrement('step_runs', 1)
}

/** Only tests call it without holding the operation's lock. */
export async function runSteps(id: string, stop = new AbortController().signal): Promise<void> {
  const operation = await Operation.findOrFail(id)
  if (operation.status !== 'queued' && operation.status !== 'running') return
  if (operation.stepRuns >= MAX_STEP_RUNS) return markStuck(operation)
  const { kind, requestId, requestSpan } = operation
  const span = beginSpan(
    `operation ${kind}`,
    { 'berth.operation.id': id, 'berth.operation.kind': kind, 'berth.lane': operation.queue },
    {
      origin: {
        id: requestId ?? newRequestId(),
        ...(requestId && { isRequest: true }),
        ...(requestSpan && { span: requestSpan }),
      },
      kind: 'consumer',
    }
  )
  await withTraceContext(span.origin, async () => {
    let fault: unknown
    try {
      await resumeOperation(operation, stop)
    } catch (error) {
      fault = error
      if (!stop.aborted) await recordUnexpectedError(operation, error)
    } finally {
      span.set({ 'berth.operation.status': operation.status })
      span.end(fault ?? operation.error ?? undefined)
    }
    if (operation.endedAt) {
      const { status, error, queue } = operation
      countEnd({ kind, lane: queue, status })
      logger.info({ operation: id, kind, ...(error && { reason: error }) }, `operation ${status}`)
    }
  })
}

async function resumeOperation(operation: Operation, stop: AbortSignal): Promise<void> {
  const kind = findOperationKind(operation.kind)
  // The kind or its steps may be known only to a worker of the other release that runs during an upgrade.
  if (!kind || !upgradeOperation(operation, kind)) return retryAfter(operation, 60_000)
  operation.status = 'running'
  operation.startedAt ??= DateTime.utc()
  const cancelled = await loadCancelState(operation)
  const context = createStepContext(operation, AbortSignal.any([stop, cancelled.signal]), stop)
  try {
    for (const step of kind.steps) {
      if (stepOf(operation, step.key).status === 'done') continue
      if (stop.aborted) return saveAndPublishProgress(operation)
      // A step that resumes keeps its start time and its note, except `SUSPECT_NOTE`, and its count of runs
      // goes up. Otherwise the count starts at 1.
      if (stepOf(operation, step.key).status === 'running') {
        operation.stepRuns++
        if (stepOf(operation, step.key).note === SUSPECT_NOTE)
          updateStep(operation, step.key, { note: undefined })
        await operation.save()
      } else {
        operation.stepRuns = 1
        updateStep(operation, step.key, { status: 'running', startedAt: now(), note: undefined })
        await saveAndPublishProgress(operation)
      }
      try {
        cancelled.signal.throwIfAborted()
        if (typeof operation.state.failure === 'string') throw conflict(operation.state.failure)
        await inSpan(`step ${step.key}`, {}, () => step.run(operation.input, context))
      } catch (error) {
        if (stop.aborted) return
        // The caller then retries the step after a delay.
        if (error instanceof LockUnavailableError) throw error
        if (error instanceof RetryLater) {
          await context.reportProgress(error.message)
          return retryAfter(operation, error.after)
        }
        // The operation moves to another machine only once. Otherwise two machines could send it to each other
        // forever.
        if (error instanceof NotOnThisHost && operation.machineId === null) {
          operation.machineId = error.machineId
          await context.reportProgress('Waiting for the machine that manages this host')
          await retryAfter(operation, 0)
          return publishOperation(operation, undefined, [OPERATIONS_DUE_TOPIC])
        }
        await failOperation(
          operation,
          step.key,
          cancelled.signal.aborted ? wasCancelled() : error,
          context
        )
        return
      }
      // Reaches the database with the next step, or at the end of the operation.
      updateStep(operation, step.key, { status: 'done', endedAt: now(), progress: undefined })
    }
  } finally {
    cancelled.forget()
  }
  operation.result = (await kind.result?.(operation.input, context)) ?? {}
  operation.merge({
    status: 'done',
    endedAt: DateTime.utc(),
    attempts: 0,
    stepRuns: 0,
    trouble: null,
  })
  operation.state = withoutOutput(operation.state)
  await saveAndPublishOperation(operation)
}

/** The output may contain secrets. Pages show it only while the operation runs or after it failed. */
function withoutOutput(state: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(state).filter(([key]) => key !== 'output'))
}

/** Returns false if only a newer worker can run the operation. */
function upgradeOperation(
  operation: Operation,
  kind: OperationKind<Record<string, unknown>>
): boolean {
  const version = kind.version ?? 1
  if (operation.version > version) return false
  if (operation.version < version) {
    if (!kind.upgrade) {
      throw new Error(
        `Version ${operation.version} started this operation, and version ${version} cannot continue it`
      )
    }
    kind.upgrade(operation)
    operation.version = version
  }
  return true
}

function stepOf(operation: Operation, key: string): StepState {
  const step = operation.steps.find((each) => each.key === key)
  if (!step) throw new Error(`${operation.kind} was started without its step ${key}`)
  return step
}

/** Also resets the counts of attempts and step runs. */
async function retryAfter(operation: Operation, ms: number): Promise<void> {
  operation.dueAt = DateTime.utc().plus(ms)
  operation.merge({ attempts: 0, stepRuns: 0 })
  await operation.save()
}

async function markStuck(operation: Operation): Promise<void> {
  const { id, kind, stepRuns } = operation
  const step = operation.steps.find(({ status }) => status === 'running')?.label ?? kind
  const trouble = `The worker stopped ${stepRuns} times while it ran the step “${step}”.`
  logger.error({ operation: id, kind, trouble }, 'operation is stuck')
  operation.merge({ status: 'stuck', trouble })
  await saveAndPublishOperation(operation)
}

/** Schedules a retry. After `MAX_FAILURES_IN_A_ROW` errors, the operation is stuck. */
async function recordUnexpectedError(operation: Operation, error: unknown): Promise<void> {
  const attempts = operation.attempts + 1
  const stuck = attempts >= MAX_FAILURES_IN_A_ROW
  const seconds = BACKOFF_SECONDS * 2 ** (attempts - 1)
  logger.error(
    { err: error, operation: operation.id, kind: operation.kind, attempts },
    stuck ? 'operation is stuck' : 'operation failed unexpectedly, retrying later'
  )
  await Operation.query()
    .where('id', operation.id)
    .whereIn('status', ['queued', 'running'])
    .update({
      attempts,
      step_runs: 0,
      trouble: storableText(error instanceof Error ? error.message : String(error)),
      due_at: DateTime.utc().plus({ seconds }).toSQL(),
      ...(stuck && { status: 'stuck' }),
    })
  await publishOperation(operation)
}

async function loadCancelState({ id, cancel }: Operation) {
  const cancelled = new AbortController()
  if (cancel === 'no') return { signal: cancelled.signal, forget: () => {} }
  const look = async () => {
    const cancelRequest = await Operation.query()
      .where({ id, cancel: 'asked' })
      .select('id')
      .first()
    if (cancelRequest) cancelled.abort()
  }
  const forget = await subscribe(`operation:${id}`, () => {
    look().catch((error) =>
      logger.warn({ err: error, operation: id }, 'a cancel request could not be read')
    )
  })
  await look()
  return { signal: cancelled.signal, forget }
}

const CANCELLED_CODE = 'cancelled'

function wasCancelled() {
  return new AppError(CANCELLED_CODE, 409, 'Cancelled. Nothing was changed.')
}

async function failOperation(
  operation: Operation,
  key: string,
  thrown: unknown,
  context: StepContext
) {
  const error = toAppErrorIfMachineError(thrown)
  const label = operation.steps.find((step) => step.key === key)?.label
  const reason = storableText(
    error instanceof AppError ? error.message : `${label} failed: ${(error as Error).message}`
  )
  if (!(error instanceof AppError && error.code === CANCELLED_CODE)) {
    logger.error({ err: error, operation: operation.id, step: key }, 'operation failed')
  }
  try {
    await getOperationKind(operation.kind).failed?.(operation.input, reason, context)
  } catch (later) {
    if (!(later instanceof RetryLater)) throw later
    // Prevents another run of the failed step when `failed` is retried.
    await context.saveState('failure', reason)
    await context.reportProgress(later.message)
    return retryAfter(operation, later.after)
  }
  updateStep(operation, key, { status: 'failed', endedAt: now() })
  operation.merge({ status: 'failed', error: reason, endedAt: DateTime.utc() })
  await saveAndPublishOperation(operation)
}

export function createStepContext(
  operation: Operation,
  signal: AbortSignal,
  stopSignal = signal
): StepContext {
  const memory = { ...operation.state }
  return {
    operation,
    signal,
    stopSignal,
    state: memory,
    async saveState(key, value) {
      memory[key] = value
      operation.state = { ...memory }
      await operation.save()
    },
    async commitPoint() {
      const { id } = operation
      const retained = await Operation.query()
        .where({ id })
        .whereNot('cancel', 'asked')
        .update({ cancel: 'no' })
      if (Number(retained[0]) === 0) throw wasCancelled()
      operation.cancel = 'no'
      await saveAndPublishProgress(operation)
    },
    async reportProgress(text, share) {
      const note = storableText(text)
      const state = operation.steps.find(({ status }) => status === 'running')
      if (!state || (state.note === note && state.progress === share)) return
      updateStep(operation, state.key, { note, progress: share })
      await saveAndPublishProgress(operation)
    },
  }
}

/** Replaces the whole step object. Lucid would not detect a change inside it. */
function updateStep(operation: Operation, key: string, now: Partial<StepState>): void {
  operation.steps = operation.steps.map((step) => (step.key === key ? { ...step, ...now } : step))
}

async function saveAndPublishOperation(operation: Operation): Promise<void> {
  await operation.save()
  await publishOperation(operation)
}

async function saveAndPublishProgress(operation: Operation): Promise<void> {
  await operation.save()
  await publishProgress(operation)
}

function now(): string {
  return DateTime.utc().toISO()
}
