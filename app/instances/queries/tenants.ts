import type { HostServerRow } from '#hosts/public'
import ServerInstance from '#instances/models/server_instance'
import db from '@adonisjs/lucid/services/db'

/** The instances on a host, newest first. */
export async function listedOn(hostId: number): Promise<HostServerRow[]> {
  const rows = await ServerInstance.query()
    .where('hostInstanceId', hostId)
    .whereNot('status', 'deleted')
    .orderBy('id', 'desc')
  return rows.map(({ id, name, ip, status, ports }) => ({ id, name, ip, status, ports }))
}

/** How many instances have each version of a package, by the version's id. */
export async function countsByVersion(): Promise<Map<number, number>> {
  const rows = await db
    .from('server_instances')
    .whereNot('status', 'deleted')
    .groupBy('package_version_id')
    .select('package_version_id')
    .count('* as instances')
  return new Map(rows.map((row) => [Number(row.package_version_id), Number(row.instances)]))
}
