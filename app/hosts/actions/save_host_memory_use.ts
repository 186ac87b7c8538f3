import HostInstance from '#hosts/models/host_instance'

/** @param memoryUsed bytes; null if unknown */
export async function saveHostMemoryUse(
  { id }: Pick<HostInstance, 'id'>,
  memoryUsed: number | null
): Promise<void> {
  await HostInstance.query().where('id', id).update({ memory_used: memoryUsed })
}
