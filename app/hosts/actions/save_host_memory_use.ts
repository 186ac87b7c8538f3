import HostInstance from '#hosts/models/host_instance'

/** Keeps the memory that a host uses, in bytes, as it was measured last; null is not known. */
export async function saveHostMemoryUse(
  { id }: Pick<HostInstance, 'id'>,
  memoryUsed: number | null
): Promise<void> {
  await HostInstance.query().where('id', id).update({ memory_used: memoryUsed })
}
