import { defineSchedule } from '#core/schedules/schedules'
import { BASE_IMAGE } from '#hosts/base_image'
import { incusClientFor } from '#hosts/incus_connections'
import { listLocalHosts } from '#hosts/local_hosts'
import { ensureBuildModeWatchdogIfPossible } from '#hosts/watchdog/build_mode_watchdog'
import logger from '@adonisjs/core/services/logger'

export async function ensureBuildModeWatchdogs(): Promise<void> {
  const hosts = await listLocalHosts().where('status', 'active')
  await Promise.all(
    hosts.map(async (host) => {
      try {
        const incus = incusClientFor(host)
        if (await incus.images.byAlias(BASE_IMAGE))
          await ensureBuildModeWatchdogIfPossible(host, incus)
      } catch (error) {
        logger.warn({ err: error, host: host.name }, 'the watchdog of a host could not be checked')
      }
    })
  )
}

export default defineSchedule({
  name: 'hosts.watchdogs',
  label: 'Keeps the watchdog of each host running (it ends Build Mode if Berth is down)',
  every: 30,
  everywhere: true,
  run: ensureBuildModeWatchdogs,
})
