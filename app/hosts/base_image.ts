import { incusClientFor } from '#hosts/incus_connections'
import { listLocalHosts } from '#hosts/local_hosts'
import type { Image, Incus } from '#packages/incus/main'

export const BASE_IMAGE = 'berth-base'

/** Finds the base image in this machine's Incus. Returns null without a local host, or if it is not built yet. */
export async function findLocalBaseImage(): Promise<{ incus: Incus; image: Image } | null> {
  const host = await listLocalHosts().where('isLocal', true).first()
  if (!host) return null
  const incus = incusClientFor(host)
  const image = await incus.images.byAlias(BASE_IMAGE)
  return image && { incus, image }
}
