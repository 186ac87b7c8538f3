import HostInstance from '#hosts/models/host_instance'

/** How many hosts are offline. */
export async function countOffline(): Promise<number> {
  const row = await HostInstance.query().where('status', 'offline').count('* as total').first()
  return Number(row?.$extras.total ?? 0)
}
