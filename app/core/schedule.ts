import logger from '@adonisjs/core/services/logger'
import db from '@adonisjs/lucid/services/db'

export interface Chore {
  name: string
  /** Seconds between two runs. */
  every: number
  run(signal: AbortSignal): Promise<void>
}

const chores: Chore[] = []

/** Something that the worker does again and again; one worker at a time does it. */
export function defineChore(chore: Chore): Chore {
  chores.push(chore)
  return chore
}

/** Starts all chores; returns how to stop them. */
export function startChores(): () => Promise<void> {
  const stop = new AbortController()
  const loops = chores.map((chore) => loop(chore, stop.signal))
  return async () => {
    stop.abort()
    await Promise.race([Promise.all(loops), new Promise((done) => setTimeout(done, 4_000))])
  }
}

async function loop(chore: Chore, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const began = Date.now()
    try {
      await alone(chore.name, () => chore.run(signal))
    } catch (error) {
      if (!signal.aborted) logger.error({ err: error, chore: chore.name }, 'chore failed')
    }
    const rest = Math.max(0, chore.every * 1_000 - (Date.now() - began))
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, rest)
      signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true })
    })
  }
}

/** Of several workers only the one that gets the lock runs it. */
async function alone(name: string, run: () => Promise<void>): Promise<void> {
  await db.transaction(async (trx) => {
    const { rows } = await trx.rawQuery('select pg_try_advisory_xact_lock(hashtext(?)) as got', [
      `chore:${name}`,
    ])
    if (rows[0].got) await run()
  })
}
