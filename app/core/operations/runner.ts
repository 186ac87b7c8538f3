import env from '#start/env'
import Operation, { type StepState } from '#core/models/operation'
import {
  announce,
  kindOf,
  NotYet,
  OPERATIONS_QUEUE,
  type StepContext,
} from '#core/operations/operations'
import { ensureQueue } from '#core/queue'
import { subscribe } from '#core/live/live'
import { asRefusal } from '#core/machine_refusal'
import { Refusal } from '#core/refusal'
import logger from '@adonisjs/core/services/logger'
import { DateTime } from 'luxon'
import pg from 'pg'

/** How many operations one worker runs side by side. */
const CONCURRENCY = 8
/** How often a worker looks for work whose worker died, in milliseconds. */
const SWEEP_EVERY = 2_000

/**
 * Runs operations. Whoever runs one holds an advisory lock of PostgreSQL that ends with its
 * connection, so an operation whose worker died is taken over within seconds and never run twice
 * at once.
 */
export class OperationRunner {
  #locks = new pg.Pool({
    connectionString: env.get('DATABASE_URL').release(),
    max: CONCURRENCY + 2,
    idleTimeoutMillis: 10_000,
  })
  #running = new Map<string, Promise<void>>()
  #stop = new AbortController()
  #timer?: NodeJS.Timeout
  #work?: string

  async start(): Promise<void> {
    this.#locks.on('error', (error) => logger.warn({ err: error }, 'operation lock'))
    const boss = await ensureQueue(OPERATIONS_QUEUE)
    this.#work = await boss.work<{ id: string }>(
      OPERATIONS_QUEUE,
      { localConcurrency: CONCURRENCY, pollingIntervalSeconds: 1 },
      async ([job]) => this.run(job.data.id)
    )
    const sweep = async () => {
      try {
        await this.#takeOver()
      } catch (error) {
        logger.warn({ err: error }, 'cannot look for interrupted operations')
      }
      if (!this.#stop.signal.aborted) this.#timer = setTimeout(sweep, SWEEP_EVERY)
    }
    await sweep()
  }

  /** Runs one operation unless somebody else does; resolves when it is done, failed or left. */
  async run(id: string): Promise<void> {
    const mine = this.#running.get(id)
    if (mine) return mine
    const work = this.#locked(id).finally(() => this.#running.delete(id))
    this.#running.set(id, work)
    return work
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    clearTimeout(this.#timer)
    await Promise.race([
      Promise.allSettled([...this.#running.values(), this.#takeNoMore()]),
      new Promise((resolve) => setTimeout(resolve, 5_000)),
    ])
    void this.#locks.end()
  }

  async #takeNoMore(): Promise<void> {
    if (!this.#work) return
    const boss = await ensureQueue(OPERATIONS_QUEUE)
    await boss.offWork(OPERATIONS_QUEUE, { id: this.#work, wait: true })
  }

  async #takeOver(): Promise<void> {
    const due = await Operation.query()
      .where('status', 'running')
      .orWhere((queued) =>
        queued
          .where('status', 'queued')
          .where('createdAt', '<', DateTime.utc().minus({ seconds: 5 }).toSQL()!)
      )
      .orderBy('createdAt')
      .limit(200)
    for (const { id } of due) {
      if (this.#running.size >= CONCURRENCY || this.#stop.signal.aborted) return
      if (!this.#running.has(id)) void this.run(id).catch(() => {})
    }
  }

  async #locked(id: string): Promise<void> {
    const client = await this.#locks.connect()
    let lost: Error | undefined
    const lose = (error: Error) => (lost = error)
    client.on('error', lose)
    try {
      const key = ['hashtextextended($1, 0)', [id]] as const
      const { rows } = await client.query(`select pg_try_advisory_lock(${key[0]}) as got`, [
        ...key[1],
      ])
      if (!rows[0].got) return
      try {
        await runSteps(id, this.#stop.signal)
      } finally {
        if (!lost) await client.query(`select pg_advisory_unlock(${key[0]})`, [...key[1]])
      }
    } finally {
      client.off('error', lose)
      client.release(lost)
    }
  }
}

/** Runs what is left of an operation in this process, without a lock; tests use it directly. */
export async function runSteps(id: string, stop = new AbortController().signal): Promise<void> {
  const operation = await Operation.findOrFail(id)
  if (operation.status === 'done' || operation.status === 'failed') return
  const kind = kindOf(operation.kind)
  operation.status = 'running'
  operation.startedAt ??= DateTime.utc()
  const cancelled = await cancelOf(operation)
  const context = contextOf(operation, AbortSignal.any([stop, cancelled.signal]))
  try {
    for (const step of kind.steps) {
      const { status } = operation.steps.find(({ key }) => key === step.key) ?? { status: 'done' }
      if (status === 'done') continue
      if (stop.aborted) return save(operation)
      // One that was cut off or waits goes on with the words that it had.
      if (status !== 'running') {
        change(operation, step.key, { status: 'running', startedAt: now(), note: undefined })
        await save(operation)
      }
      try {
        cancelled.signal.throwIfAborted()
        await step.run(operation.input, context)
      } catch (error) {
        if (stop.aborted) return
        if (error instanceof NotYet) return context.tell(error.message)
        await fail(operation, step.key, cancelled.signal.aborted ? wasCancelled() : error, context)
        return
      }
      // Written down with the beginning of the next step, or with the end.
      change(operation, step.key, { status: 'done', endedAt: now(), progress: undefined })
    }
  } finally {
    cancelled.forget()
  }
  operation.result = (await kind.result?.(operation.input, context)) ?? {}
  operation.status = 'done'
  operation.endedAt = DateTime.utc()
  await save(operation)
}

/** Becomes aborted when somebody asks for the end of an operation, from whichever process. */
async function cancelOf({ id, cancel }: Operation) {
  const cancelled = new AbortController()
  if (cancel === 'no') return { signal: cancelled.signal, forget: () => {} }
  const look = async () => {
    const asked = await Operation.query().where({ id, cancel: 'asked' }).select('id').first()
    if (asked) cancelled.abort()
  }
  const forget = await subscribe(`operation:${id}`, () => {
    look().catch((error) => logger.warn({ err: error, operation: id }, 'cannot look at operation'))
  })
  await look()
  return { signal: cancelled.signal, forget }
}

const CANCELLED = 'cancelled'

function wasCancelled() {
  return new Refusal(CANCELLED, 409, 'Cancelled. Nothing was changed.')
}

async function fail(operation: Operation, key: string, thrown: unknown, context: StepContext) {
  const error = asRefusal(thrown)
  const label = operation.steps.find((step) => step.key === key)?.label
  const reason =
    error instanceof Refusal ? error.message : `${label} did not work: ${(error as Error).message}`
  if (!(error instanceof Refusal && error.code === CANCELLED)) {
    logger.error({ err: error, operation: operation.id, step: key }, 'operation failed')
  }
  await kindOf(operation.kind).failed?.(operation.input, reason, context)
  change(operation, key, { status: 'failed', endedAt: now() })
  operation.status = 'failed'
  operation.error = reason
  operation.endedAt = DateTime.utc()
  await save(operation)
}

function contextOf(operation: Operation, signal: AbortSignal): StepContext {
  return {
    operation,
    signal,
    get memory() {
      return operation.memory
    },
    async remember(key, value) {
      operation.memory = { ...operation.memory, [key]: value }
      await operation.save()
    },
    async tell(note, progress) {
      const state = operation.steps.find(({ status }) => status === 'running')
      if (!state || (state.note === note && state.progress === progress)) return
      change(operation, state.key, { note, progress })
      await save(operation)
    },
  }
}

/** Lucid sees only new values, so that a step is never changed in place. */
function change(operation: Operation, key: string, now: Partial<StepState>): void {
  operation.steps = operation.steps.map((step) => (step.key === key ? { ...step, ...now } : step))
}

async function save(operation: Operation): Promise<void> {
  await operation.save()
  await announce(operation)
}

function now(): string {
  return DateTime.utc().toISO()
}
