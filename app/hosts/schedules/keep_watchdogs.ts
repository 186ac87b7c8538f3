import { defineSchedule } from '#core/schedules/schedules'
import { BASE_IMAGE } from '#hosts/base_image'
import { incusOf } from '#hosts/connections'
import { hostsHere } from '#hosts/here'
import { tryWatchdog } from '#hosts/watchdog/watchdog'
import logger from '@adonisjs/core/services/logger'

/** Every host whose base image is there gets its watchdog; all side by side. */
export async function keepWatchdogs(): Promise<void> {
  const hosts = await hostsHere().where('status', 'active')
  await Promise.all(
    hosts.map(async (host) => {
      try {
        const incus = incusOf(host)
        if (await incus.images.byAlias(BASE_IMAGE)) await tryWatchdog(host, incus)
      } catch (error) {
        logger.warn({ err: error, host: host.name }, 'this host does not answer')
      }
    })
  )
}

export default defineSchedule({
  name: 'hosts.watchdogs',
  label: 'Keeps the watchdog of each host running. It ends Build Mode if Berth is down',
  every: 30,
  everywhere: true,
  run: keepWatchdogs,
})
