import HostInstance from '#compute/models/host_instance'
import ServerInstance from '#compute/models/server_instance'
import { recordId } from '#core/record_id'
import env from '#start/env'
import type { Room } from '#compute/policies/room_rules'
import type { HostCapacity } from '#compute/transformers/host'
import { notFound } from '#core/refusal'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/**
 * Processors may be promised this many times over (design, "Placement"); memory and disk never.
 * CPU_OVERCOMMIT says otherwise where tenants are known to be calm.
 */
const CPU_OVERCOMMIT = env.get('CPU_OVERCOMMIT', 4)
/** What the host keeps for itself: a tenth, at least half a gibibyte. */
const KEPT_SHARE = 0.1
const KEPT_MEMORY = 512 * 1024 ** 2

/** All hosts but deleted ones. */
export function hosts(trx?: TransactionClientContract) {
  return HostInstance.query({ client: trx }).whereNot('status', 'deleted')
}

/** The host with this id (as a call sends it), or 404. */
export async function findHost(
  id: unknown,
  trx?: TransactionClientContract
): Promise<HostInstance> {
  const key = recordId(id)
  const host = key ? await hosts(trx).where('id', key).first() : null
  if (!host) throw notFound('host instance')
  return host
}

export interface Promised {
  instances: number
  cpu: number
  memory: number
  disk: number
}

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

/** What may be promised on a host at most; bytes and processors. */
export function limitsOf(host: Pick<HostInstance, 'cpuTotal' | 'memoryTotal' | 'diskTotal'>) {
  return {
    cpu: host.cpuTotal * CPU_OVERCOMMIT,
    memory: Math.max(
      0,
      host.memoryTotal - Math.max(KEPT_MEMORY, Math.ceil(host.memoryTotal * KEPT_SHARE))
    ),
    disk: Math.floor(host.diskTotal * (1 - KEPT_SHARE)),
  }
}

/** What each of these hosts can promise and what is left of it, in their order. */
export async function roomOn(
  rows: HostInstance[],
  trx?: TransactionClientContract
): Promise<{ host: HostInstance; room: Room }[]> {
  const promised = await promisedOn(
    rows.map(({ id }) => id),
    trx
  )
  return rows.map((host) => {
    const { cpu, ...most } = limitsOf(host)
    const limit = { vcpu: cpu, ...most }
    const given = promised.get(host.id)
    const left = {
      vcpu: limit.vcpu - (given?.cpu ?? 0),
      memory: limit.memory - (given?.memory ?? 0),
      disk: limit.disk - (given?.disk ?? 0),
    }
    return { host, room: { cpuTotal: host.cpuTotal, limit, left } }
  })
}

/** Capacity as pages show it, by the host's id. */
export async function capacitiesOf(rows: HostInstance[]): Promise<Map<number, HostCapacity>> {
  const promised = await promisedOn(rows.map(({ id }) => id))
  return new Map(
    rows.map((host) => {
      const given = promised.get(host.id) ?? { instances: 0, cpu: 0, memory: 0, disk: 0 }
      const limit = limitsOf(host)
      return [
        host.id,
        {
          cpu: { total: host.cpuTotal, promised: given.cpu, limit: limit.cpu },
          memory: {
            total: host.memoryTotal,
            promised: given.memory,
            limit: limit.memory,
            used: host.memoryUsed,
          },
          disk: {
            total: host.diskTotal,
            promised: given.disk,
            limit: limit.disk,
            used: host.diskUsed,
          },
          instances: given.instances,
        },
      ]
    })
  )
}

/** The instances on a host, newest first. */
export function instancesOn(hostId: number, trx?: TransactionClientContract) {
  return ServerInstance.query({ client: trx })
    .where('hostInstanceId', hostId)
    .whereNot('status', 'deleted')
    .orderBy('id', 'desc')
}
