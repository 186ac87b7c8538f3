import { recordHourlyStorageUsage, applySpendingLimits } from '../meter/spending_limits.js'
import type { UsageAggregator } from '../meter/usage_aggregator.js'
import type { ServingThread } from '../serving_thread.js'
import type { BodyLocation } from '../types.js'
import { moveObjectsToVaultStore } from './move_objects.js'
import { scrub, SCRUB_BYTES_PER_SECOND } from './scrub.js'
import {
  findOrphans,
  removeOrphans,
  sweepDoomedBodies,
  deleteExpiredUploads,
  purgeDeletedVaults,
} from './sweep.js'

const MS_PER_SECOND = 1_000
const MS_PER_MINUTE = 60 * MS_PER_SECOND
const MS_PER_HOUR = 60 * MS_PER_MINUTE
const MS_PER_DAY = 24 * MS_PER_HOUR

/** Each maintenance task has its own schedule, so that a slow task does not delay the others. */
export function startUpkeep(
  serving: Pick<ServingThread, 'database' | 'generations' | 'stores' | 'store' | 'log'>,
  fold: UsageAggregator
) {
  const { database, generations, stores, store, log } = serving
  const ending = new AbortController()
  const { signal } = ending

  const tasks = {
    fold: new Task(MS_PER_SECOND, async () => {
      const used = await fold.run()
      if (used.size) await applySpendingLimits(database, generations)
    }),
    limits: new Task(MS_PER_MINUTE, async () => {
      await recordHourlyStorageUsage(database)
      await applySpendingLimits(database, generations)
    }),
    sweep: new Task(MS_PER_MINUTE, async () => {
      await purgeDeletedVaults(database, signal)
      await deleteExpiredUploads(database)
      await sweepDoomedBodies(database, stores, { signal, log })
    }),
    move: new Task(MS_PER_MINUTE, async () => {
      const newNumber = () => store.number()
      await moveObjectsToVaultStore(database, generations, stores, newNumber, { signal, log })
    }),
    orphans: new Task(MS_PER_DAY, async () => {
      for (const [name, bodies] of Object.entries(stores)) {
        const result = await findOrphans(database, name as BodyLocation, bodies, { signal })
        const removed = await removeOrphans(database, bodies, result.orphans, signal)
        const { expected, present: there } = result
        log({
          level: 30,
          msg: 'compared a store with the database',
          store: name,
          expected,
          found: there,
          removed,
        })
      }
    }),
    // If the last scrub was interrupted, the next run resumes it. If it was complete, the next one starts after a week.
    scrub: new Task(MS_PER_HOUR, async () => {
      const due = await database.row(
        `select 1 from vault.scrub where ended_at > now() - interval '7 days'`
      )
      if (!due) await scrub(database, stores, { signal })
    }),
    lateScrub: new Task(MS_PER_DAY, async () => {
      const late = await database.row<{ started_at: Date }>(
        `select started_at from vault.scrub
         where ended_at is null and started_at < now() - interval '7 days'`
      )
      const msg = `scrub takes longer than a week: it reads at most ${SCRUB_BYTES_PER_SECOND} bytes per second`
      if (late) log({ level: 40, msg, startedAt: late.started_at })
    }),
  }
  const all = Object.entries(tasks)
  for (const [name, task] of all) {
    task.start((error) => {
      if (!signal.aborted)
        log({ level: 40, msg: `vault upkeep task ${name} failed`, err: String(error) })
    })
  }

  return {
    now: (name: keyof typeof tasks) => tasks[name].now(),
    async stop() {
      ending.abort()
      await Promise.all(all.map(([, task]) => task.stop()))
    },
  }
}

/** A task that is repeated some time after its last run has ended. It never runs twice at the same time. */
class Task {
  #timer?: NodeJS.Timeout
  #running?: Promise<void>
  #stopped = false
  #onError: (error: unknown) => void = () => {}

  readonly #every: number
  readonly #work: () => Promise<void>

  constructor(every: number, work: () => Promise<void>) {
    this.#every = every
    this.#work = work
  }

  start(onError: (error: unknown) => void): void {
    this.#onError = onError
    this.#plan()
  }

  /** Runs the task immediately, or after the current run. Rejects with the task's error. */
  now(): Promise<void> {
    return this.#run()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    await this.#running
  }

  #plan(): void {
    if (this.#stopped) return
    this.#timer = setTimeout(() => {
      void this.#run()
        .catch(this.#onError)
        .finally(() => this.#plan())
    }, this.#every)
    this.#timer.unref()
  }

  #run(): Promise<void> {
    const run = (this.#running ?? Promise.resolve()).then(() => this.#work())
    this.#running = run.catch(() => {})
    return run
  }
}
