import { incusOf } from '#compute/connections'
import { tryKeeper } from '#compute/keeper/keeper'
import HostInstance from '#compute/models/host_instance'
import { BASE_IMAGE } from '#compute/base_image'
import { defineSchedule } from '#core/schedules/schedules'
import logger from '@adonisjs/core/services/logger'

/** Every host whose base image is there gets its keeper; all side by side. */
export async function keepKeepers(): Promise<void> {
  const hosts = await HostInstance.query().where('status', 'active')
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

defineSchedule({
  name: 'hosts.keepers',
  label: 'Keeps the container on each host that ends Build Mode without us',
  every: 30,
  run: keepKeepers,
})
