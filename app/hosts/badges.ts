import { addBadges } from '#core/badges'
import HostInstance from '#hosts/models/host_instance'

/** Hosts that are offline (product, "Live support": menu badges). */
addBadges(async (actor): Promise<Record<string, number>> => {
  if (actor.audience !== 'staff') return {}
  const row = await HostInstance.query().where('status', 'offline').count('* as total').first()
  return { '/admin/host-instance/list': Number(row?.$extras.total ?? 0) }
})
