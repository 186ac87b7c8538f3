import { defineSchedule } from '#core/schedules/schedules'
import { listLocalHosts } from '#hosts/public'
import { endBoost } from '#instances/actions/boost_instance'
import ServerInstance from '#instances/models/server_instance'
import logger from '@adonisjs/core/services/logger'
import { DateTime } from 'luxon'

/** Time of the next attempt (ms since 1970) by instance id, for boosts that could not be ended. */
const later = new Map<number, number>()
const RETRY_DELAY_MS = 10_000

/** Ends expired boosts on the hosts that this machine manages. If that fails, retries after a pause. */
export async function endBoosts(): Promise<void> {
  const due = await ServerInstance.query()
    .whereNotNull('boostedUntil')
    .where('boostedUntil', '<=', DateTime.utc().toSQL()!)
    .whereIn('hostInstanceId', listLocalHosts().select('id'))
    .select('id')
    .limit(200)
  const ready = due.filter(({ id }) => (later.get(id) ?? 0) <= Date.now())
  await Promise.all(
    ready.map(async ({ id }) => {
      try {
        await endBoost(id)
        later.delete(id)
      } catch (error) {
        later.set(id, Date.now() + RETRY_DELAY_MS)
        logger.warn({ err: error, instance: id }, 'boost could not be ended')
      }
    })
  )
}

export default defineSchedule({
  name: 'instances.end-boosts',
  label: 'Ends Build Mode when its time is over',
  every: 1,
  everywhere: true,
  run: endBoosts,
})
