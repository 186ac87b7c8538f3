import type { HostedServerRow } from '#hosts/public'
import ServerInstance from '#instances/models/server_instance'

export async function listInstancesOnHost(hostId: number): Promise<HostedServerRow[]> {
  const rows = await ServerInstance.live().where('hostInstanceId', hostId).orderBy('id', 'desc')
  return rows.map(({ id, name, ip, status, ports }) => ({ id, name, ip, status, ports }))
}

/** Returns the bytes of the host's allocated disk that are for base images. */
export async function sumImageReserve(hostId: number): Promise<number> {
  const row = await ServerInstance.live()
    .where('hostInstanceId', hostId)
    .sum('image_bytes as total')
    .first()
  return Number(row?.$extras.total ?? 0)
}

/** Counts instances by package version id. */
export async function countInstancesByPackageVersion(): Promise<Map<number, number>> {
  const rows = await ServerInstance.live()
    .groupBy('packageVersionId')
    .select('packageVersionId')
    .count('* as instances')
  return new Map(rows.map((row) => [row.packageVersionId, Number(row.$extras.instances)]))
}
