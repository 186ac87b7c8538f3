import { defineSchedule } from '#core/schedules/schedules'
import { BASE_IMAGE } from '#hosts/base_image'
import { incusOf } from '#hosts/connections'
import { hostsHere } from '#hosts/here'
import { tryKeeper } from '#hosts/keeper/keeper'
import logger from '@adonisjs/core/services/logger'

/** Every host whose base image is there gets its keeper; all side by side. */
export async function keepKeepers(): Promise<void> {
  const hosts = await hostsHere().where('status', 'active')
  await Promise.all(
    hosts.map(async (host) => {
      try {
        const incus = incusOf(host)
        if (await incus.images.byAlias(BASE_IMAGE)) await tryKeeper(host, incus)
      } catch (error) {
        logger.warn({ err: error, host: host.name }, 'this host does not answer')
      }
    })
  )
}

export default defineSchedule({
  name: 'hosts.keepers',
  label: 'Keeps the container on each host that ends Build Mode without us',
  every: 30,
  everywhere: true,
  run: keepKeepers,
})
