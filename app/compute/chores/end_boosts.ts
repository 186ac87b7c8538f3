import { endBoost } from '#compute/actions/boost_instance'
import ServerInstance from '#compute/models/server_instance'
import { defineChore } from '#core/schedule'
import logger from '@adonisjs/core/services/logger'
import { DateTime } from 'luxon'

/** Where lowering failed, when it is tried again (ms since 1970), by the instance's id. */
const later = new Map<number, number>()
const PAUSE = 10_000

/** Lowers what is due, side by side; a host that is away is asked again after a pause. */
export async function endBoosts(): Promise<void> {
  const due = await ServerInstance.query()
    .whereNotNull('boostedUntil')
    .where('boostedUntil', '<=', DateTime.utc().toSQL()!)
    .select('id')
    .limit(200)
  const ready = due.filter(({ id }) => (later.get(id) ?? 0) <= Date.now())
  await Promise.all(
    ready.map(async ({ id }) => {
      try {
        await endBoost(id)
        later.delete(id)
      } catch (error) {
        later.set(id, Date.now() + PAUSE)
        logger.warn({ err: error, instance: id }, 'boost could not be ended')
      }
    })
  )
}

defineChore({ name: 'compute.end-boosts', every: 1, run: endBoosts })
