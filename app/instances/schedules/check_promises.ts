import { audit } from '#core/audit/audit'
import { defineSchedule } from '#core/schedules/schedules'
import { HostInstance } from '#hosts/public'
import { differingPromises, summedPromises } from '#instances/queries/promises'
import logger from '@adonisjs/core/services/logger'
import db from '@adonisjs/lucid/services/db'

/** Compares what hosts count as promised with the sums; what differs is set right and told. */
export async function checkPromises(): Promise<void> {
  const [hosts, sums] = await Promise.all([HostInstance.all(), summedPromises()])
  for (const host of hosts) {
    if (differingPromises(host, sums)) await repair(host.id)
  }
}

/** Looks again with the host locked, so that nobody promises anything there meanwhile. */
async function repair(id: number): Promise<void> {
  await db.transaction(async (trx) => {
    const host = await HostInstance.query({ client: trx }).where('id', id).forUpdate().firstOrFail()
    const found = differingPromises(host, await summedPromises(id, trx))
    if (!found) return
    await host.merge(found.summed).save()
    const subject = { type: 'host_instance' as const, id, label: host.name }
    await audit(
      {
        ...{ actor: null, action: 'host.promises_corrected', subject },
        ...{ before: { ...found.counted }, after: { ...found.summed } },
      },
      trx
    )
    logger.error({ host: host.name, ...found }, 'what was promised on a host was counted wrongly')
  })
}

export default defineSchedule({
  name: 'instances.check-promises',
  label: 'Compares what hosts count as promised with the sums',
  every: 600,
  run: checkPromises,
})
