import { type Offer, offeredPackages, type ServerPackage, shareOf } from '#catalog/public'
import HostInstance from '#hosts/models/host_instance'
import { type Room, roomVerdict } from '#hosts/room'
import { tenants } from '#hosts/tenants'
import type { HostCapacity, SoldOut } from '#hosts/transformers/host'
import env from '#start/env'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/**
 * Processors may be promised this many times over (decision 0006); memory and disk never.
 * CPU_OVERCOMMIT says otherwise where tenants are known to be calm.
 */
const CPU_OVERCOMMIT = env.get('CPU_OVERCOMMIT', 4)
/** What the host keeps for itself: a tenth, at least half a gibibyte. */
const KEPT_SHARE = 0.1
const KEPT_MEMORY = 512 * 1024 ** 2

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
  const promised = await tenants.promisedOn(
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
  const promised = await tenants.promisedOn(rows.map(({ id }) => id))
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

/** Which of these packages there is room for on these hosts. */
export function offersIn(packages: ServerPackage[], rooms: Room[]): Offer[] {
  return packages.map((row) => ({ row, room: roomVerdict(shareOf(row.specifications), rooms) }))
}

/** The room on every host that takes new instances. */
export async function activeRooms(): Promise<Room[]> {
  const hosts = await HostInstance.query().where('status', 'active').orderBy('id')
  return (await roomOn(hosts)).map(({ room }) => room)
}

/** The offered packages that each host has no room for, by its id and by what is in the way. */
export async function soldOutOn(hosts: HostInstance[]): Promise<Map<number, SoldOut[]>> {
  const [packages, rooms] = await Promise.all([offeredPackages(), roomOn(hosts)])
  return new Map(
    rooms.map(({ host, room }) => {
      const byReason = new Map<string, string[]>()
      for (const { row, room: verdict } of offersIn(packages, [room])) {
        if (verdict.allowed) continue
        const names = byReason.get(verdict.reason!) ?? []
        byReason.set(verdict.reason!, [...names, row.name])
      }
      const found = [...byReason].map(([reason, names]) => ({ reason, packages: names }))
      return [host.id, found]
    })
  )
}
