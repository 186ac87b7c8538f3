import { listOperationsOfSubject } from '#core/operations/operations'
import { defineSchedule } from '#core/schedules/schedules'
import { BASE_IMAGE, findLocalBaseImage } from '#hosts/base_image'
import { incusClientFor } from '#hosts/incus_connections'
import { listLocalHosts } from '#hosts/local_hosts'
import { isolateHostTenants } from '#hosts/isolate_tenants'
import type HostInstance from '#hosts/models/host_instance'
import { startHostPreparation } from '#hosts/operations/prepare_host'
import logger from '@adonisjs/core/services/logger'
import { DateTime } from 'luxon'

const RETRY_AFTER_MINUTES = 10

/**
 * Updates the isolation of instances, because a host's addresses can change. Starts the preparation of remote hosts
 * that do not have the current base image.
 */
export async function prepareHosts(): Promise<void> {
  const source = await findLocalBaseImage().catch(() => null)
  const hosts = await listLocalHosts()
    .where((either) => void either.where('isLocal', true).orWhere('incusUrl', 'like', 'https:%'))
    .whereIn('status', ['pending', 'active', 'maintenance'])
  await Promise.all(
    hosts.map(async (host) => {
      try {
        if (host.network) await isolateHostTenants(host)
        if (host.isLocal) return
        const image = await incusClientFor(host).images.byAlias(BASE_IMAGE)
        const isPresent = source && image?.fingerprint === source.image.fingerprint
        if (!source || isPresent || !(await isDue(host))) return
        await startHostPreparation(host)
      } catch (error) {
        logger.warn({ err: error, host: host.name }, 'host could not be prepared')
      }
    })
  )
}

async function isDue({ id }: HostInstance): Promise<boolean> {
  const [last] = await listOperationsOfSubject('host_instance', id)
  if (!last || last.status === 'done') return true
  const before = DateTime.utc().minus({ minutes: RETRY_AFTER_MINUTES })
  return last.status === 'failed' && (last.endedAt ?? before) <= before
}

export default defineSchedule({
  name: 'hosts.prepare',
  label: 'Updates isolation and base images of hosts',
  every: 60,
  everywhere: true,
  run: prepareHosts,
})
