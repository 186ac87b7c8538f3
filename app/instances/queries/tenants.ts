import type { HostServerRow, Promised } from '#hosts/public'
import ServerInstance from '#instances/models/server_instance'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/** What the instances on each host were promised, by the host's id; failed ones keep their place. */
export async function promisedOn(
  ids: number[],
  trx?: TransactionClientContract
): Promise<Map<number, Promised>> {
  const rows = await (trx ?? db)
    .from('server_instances')
    .whereIn('host_instance_id', ids)
    .whereNot('status', 'deleted')
    .groupBy('host_instance_id')
    .select('host_instance_id as host')
    .count('* as instances')
    .sum('vcpu as cpu')
    .sum('memory_bytes as memory')
    .sum('disk_bytes as disk')
  return new Map(
    rows.map((row) => [
      Number(row.host),
      {
        instances: Number(row.instances),
        cpu: Number(row.cpu),
        memory: Number(row.memory),
        disk: Number(row.disk),
      },
    ])
  )
}

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
