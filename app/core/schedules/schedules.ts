import { publish, subscribe } from '#core/live/live_events'
import { type HeldLock, LockSession } from '#core/locks'
import { localMachineId } from '#core/local_host'
import { newRequestId, withTraceContext } from '#packages/telemetry/trace_context'
import { inSpan } from '#packages/telemetry/tracing'
import logger from '@adonisjs/core/services/logger'
import db from '@adonisjs/lucid/services/db'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Schedule {
  /** Dotted, starting with the module: `metrics.sample`. */
  name: string
  label: string
  /** Seconds between the starts of two runs. Runs never overlap. */
  every: number
  /**
   * Whether each control machine runs the schedule for its own resources. Default: one machine runs it for all
   * resources.
   */
  everywhere?: boolean
  /** A live event with this topic starts the next run immediately. */
  wakeTopic?: string
  run(signal: AbortSignal): Promise<void>
}

export interface LastRun {
  name: string
  /** Set only if each machine runs the schedule. */
  machine_id: string | null
  started_at: Date
  ended_at: Date | null
  took_ms: number | null
  error: string | null
  failures: number
}

const schedules = new Map<string, Schedule>()

/** The other workers try to acquire the schedule's lock at this interval. */
const TAKEOVER_INTERVAL_MS = 5_000
/** While the outcome stays the same, runs are saved at this interval. */
const RESULT_INTERVAL_MS = 10_000

/** @throws if another schedule has the same name */
export function defineSchedule(schedule: Schedule): Schedule {
  if (schedules.has(schedule.name)) throw new Error(`Two schedules have the name ${schedule.name}`)
  schedules.set(schedule.name, schedule)
  return schedule
}

export function allSchedules(): Schedule[] {
  return [...schedules.values()].sort((a, b) => a.name.localeCompare(b.name))
}

/**
 * One worker holds the lock of a schedule and runs it until that worker stops. Other workers keep trying to acquire
 * the lock.
 * @returns a function that stops the schedules
 */
export function startSchedules(which: Schedule[] = allSchedules()): () => Promise<void> {
  const locks = new LockSession()
  const stop = new AbortController()
  const loops = which.map((schedule) => runWhileLocked(schedule, locks, stop.signal))
  return async () => {
    stop.abort()
    await Promise.race([Promise.all(loops), sleep(4_000)])
    await locks.end()
  }
}

async function runWhileLocked(
  schedule: Schedule,
  locks: LockSession,
  stop: AbortSignal
): Promise<void> {
  while (!stop.aborted) {
    const held = await locks.tryHold(lockOf(schedule)).catch((error) => {
      logger.warn(
        { err: error, schedule: schedule.name },
        'the lock of a schedule could not be requested'
      )
      return null
    })
    if (held) await runRepeatedly(schedule, held, stop)
    else await sleepUntilNextRun(TAKEOVER_INTERVAL_MS, stop)
  }
}

const machineOf = ({ everywhere }: Schedule) => (everywhere ? localMachineId() : null)

function lockOf(schedule: Schedule): string {
  const machine = machineOf(schedule)
  return `schedule:${schedule.name}${machine ? `@${machine}` : ''}`
}

async function runRepeatedly(schedule: Schedule, held: HeldLock, stop: AbortSignal): Promise<void> {
  const signal = AbortSignal.any([stop, held.lost])
  const note = saveLastRun(schedule)
  let woken = new AbortController()
  const forget = await listenForWake(schedule, () => woken.abort())
  while (!signal.aborted) {
    woken = new AbortController()
    const began = new Date()
    let error: unknown
    try {
      await note.begin(began)
      await run(schedule, signal)
    } catch (thrown) {
      if (signal.aborted) break
      error = thrown
      logger.error({ err: error, schedule: schedule.name }, 'schedule failed')
    }
    await note.end(began, error).catch((thrown: unknown) => {
      logger.warn(
        { err: thrown, schedule: schedule.name },
        'the result of a scheduled run could not be saved'
      )
    })
    await sleepUntilNextRun(
      Math.max(0, schedule.every * 1_000 - (Date.now() - began.getTime())),
      AbortSignal.any([signal, woken.signal])
    )
  }
  forget?.()
  await held.release()
}

/**
 * Calls `wake` on each event of the schedule's topic. If the subscription fails, the schedule runs at its normal
 * interval.
 */
function listenForWake({ name, wakeTopic }: Schedule, wake: () => void) {
  if (!wakeTopic) return
  return subscribe(wakeTopic, wake).catch((error: unknown) => {
    logger.warn({ err: error, schedule: name }, 'a schedule could not subscribe to its event')
  })
}

/** Schedules that run more often are not traced, because their traces would fill the storage. */
const MIN_TRACED_INTERVAL_SECONDS = 60

function run(schedule: Schedule, signal: AbortSignal): Promise<void> {
  const { name, every } = schedule
  const origin = { id: newRequestId() }
  const work = () => withTraceContext(origin, () => schedule.run(signal))
  return every < MIN_TRACED_INTERVAL_SECONDS
    ? work()
    : inSpan(`schedule ${name}`, {}, () => schedule.run(signal), { origin })
}

/**
 * Saves the start and end of runs. If a schedule runs more often than every 10 s, saves one run every 10 s, and each
 * run whose outcome differs from that of the run saved before.
 */
function saveLastRun(schedule: Schedule) {
  const { name } = schedule
  const machine = machineOf(schedule)
  let written = 0
  let failed = false
  return {
    async begin(began: Date): Promise<void> {
      if (began.getTime() - written < RESULT_INTERVAL_MS) return
      await db.rawQuery(
        `insert into schedules (name, machine_id, started_at) values (?, ?, ?)
         on conflict (name, machine_id)
         do update set started_at = excluded.started_at, ended_at = null`,
        [name, machine, began]
      )
      await publish(`schedule:${name}`)
    },
    async end(began: Date, error: unknown): Promise<void> {
      if (began.getTime() - written < RESULT_INTERVAL_MS && failed === Boolean(error)) return
      const now = new Date()
      await db
        .from('schedules')
        .where({ name, machine_id: machine })
        .update({
          started_at: began,
          ended_at: now,
          took_ms: now.getTime() - began.getTime(),
          error: error === undefined ? null : errorMessage(error),
          failures: error === undefined ? 0 : db.raw('failures + 1'),
        })
      written = began.getTime()
      failed = Boolean(error)
      await publish(`schedule:${name}`)
    },
  }
}

function errorMessage(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 2_000)
}

async function sleepUntilNextRun(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {})
}
