import { incusOf } from '#hosts/connections'
import HostInstance from '#hosts/models/host_instance'
import type { Image, Incus } from '#packages/incus/main'

/** The alias of the image that instances are made from. */
export const BASE_IMAGE = 'berth-base'

/** The base image as the machine of `./berth` has it; null before it was built. */
export async function sourceImage(): Promise<{ incus: Incus; image: Image } | null> {
  const host = await HostInstance.query()
    .where('isLocal', true)
    .whereNot('status', 'deleted')
    .first()
  if (!host) return null
  const incus = incusOf(host)
  const image = await incus.images.byAlias(BASE_IMAGE)
  return image && { incus, image }
}
