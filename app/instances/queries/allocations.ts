import { HostInstance } from '#hosts/public'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/** Allocated instances, CPUs and ports, and bytes of memory and disk, as columns of `host_instances` count them. */
export type AllocationCounters = Pick<
  HostInstance,
  'allocatedInstances' | 'allocatedVcpu' | 'allocatedMemory' | 'allocatedDisk' | 'leasedPorts'
>

/**
 * Sums allocations by host id. Omits hosts without instances and ports. Includes failed instances.
 * @param hostId only sum the allocations of this host
 */
export async function sumAllocations(
  hostId?: number,
  trx?: TransactionClientContract
): Promise<Map<number, AllocationCounters>> {
  const { rows } = await (trx ?? db).rawQuery<{ rows: Record<string, string | number>[] }>(
    `select coalesce(given.host, leased.host) as host, coalesce(instances, 0) as instances,
       coalesce(vcpu, 0) as vcpu, coalesce(memory, 0) as memory, coalesce(disk, 0) as disk,
       coalesce(ports, 0) as ports
     from (select host_instance_id as host, count(*) as instances, sum(vcpu) as vcpu,
             sum(memory_bytes) as memory, sum(disk_bytes) as disk
           from server_instances where status <> 'deleted' and host_instance_id is not null
             and (:host::bigint is null or host_instance_id = :host) group by 1) as given
     full join (select host_instance_id as host, count(*) as ports
           from port_leases where :host::bigint is null or host_instance_id = :host
           group by 1) as leased on leased.host = given.host`,
    { host: hostId ?? null }
  )
  return new Map(
    rows.map((row) => [
      Number(row.host),
      {
        allocatedInstances: Number(row.instances),
        allocatedVcpu: Number(row.vcpu),
        allocatedMemory: Number(row.memory),
        allocatedDisk: Number(row.disk),
        leasedPorts: Number(row.ports),
      },
    ])
  )
}

const NO_ALLOCATIONS: AllocationCounters = {
  allocatedInstances: 0,
  allocatedVcpu: 0,
  allocatedMemory: 0,
  allocatedDisk: 0,
  leasedPorts: 0,
}

/** Returns all counters and sums if any of them differ, otherwise null. */
export function findAllocationMismatch(
  host: HostInstance,
  sums: Map<number, AllocationCounters>
): { stored: AllocationCounters; summed: AllocationCounters } | null {
  const summed = sums.get(host.id) ?? NO_ALLOCATIONS
  const names = Object.keys(NO_ALLOCATIONS) as (keyof AllocationCounters)[]
  if (names.every((name) => host[name] === summed[name])) return null
  const stored = Object.fromEntries(names.map((name) => [name, host[name]])) as AllocationCounters
  return { stored, summed }
}
