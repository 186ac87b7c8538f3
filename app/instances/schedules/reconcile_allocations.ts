import { audit } from '#core/audit/audit'
import { defineSchedule } from '#core/schedules/schedules'
import { HostInstance } from '#hosts/public'
import { findAllocationMismatch, sumAllocations } from '#instances/queries/allocations'
import logger from '@adonisjs/core/services/logger'
import db from '@adonisjs/lucid/services/db'

/** Corrects and reports hosts' counters of allocated resources that differ from the sums over their instances. */
export async function reconcileAllocations(): Promise<void> {
  const [hosts, sums] = await Promise.all([HostInstance.all(), sumAllocations()])
  for (const host of hosts) {
    if (findAllocationMismatch(host, sums)) await repair(host.id)
  }
}

/** Locks the host's row, so that nothing is allocated between sum and correction. */
async function repair(id: number): Promise<void> {
  await db.transaction(async (trx) => {
    const host = await HostInstance.query({ client: trx }).where('id', id).forUpdate().firstOrFail()
    const difference = findAllocationMismatch(host, await sumAllocations(id, trx))
    if (!difference) return
    await host.merge(difference.summed).save()
    const subject = { type: 'host_instance' as const, id, label: host.name }
    await audit(
      {
        actor: null,
        action: 'host.promises_corrected',
        subject,
        before: { ...difference.stored },
        after: { ...difference.summed },
      },
      trx
    )
    logger.error(
      { host: host.name, ...difference },
      'the allocated resources of a host were wrong, now corrected'
    )
  })
}

export default defineSchedule({
  name: 'instances.check-allocations',
  label: 'Recounts the allocated resources of hosts',
  every: 600,
  run: reconcileAllocations,
})
