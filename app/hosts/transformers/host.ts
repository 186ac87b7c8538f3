import type { Specifications } from '#catalog/public'
import { localMachineId } from '#core/local_host'
import type { Permission } from '#core/permission'
import type { ContainmentReport } from '#hosts/containment/self_test'
import type HostInstance from '#hosts/models/host_instance'
import { type HostStatus, SILENT_REASON } from '#hosts/models/host_instance'
import { type HostAction, hostPermissions } from '#hosts/states/host'

export interface HostCapacityView {
  cpu: { total: number; allocated: number; limit: number }
  memory: { total: number; allocated: number; limit: number; used: number | null }
  disk: {
    total: number
    allocated: number
    limit: number
    used: number | null
    overcommit: number
    /** Whether the disk is overcommitted and physically 90 % full. The host then gets no new instances. */
    is_full: boolean
  }
  instances: number
}

export interface PackageCapacity {
  name: string
  more: number
}

export interface SoldOutPackageGroup {
  reason: string
  packages: string[]
}

export interface HostCard {
  id: number
  name: string
  ip: string
  status: HostStatus
  status_reason: string | null
  provider: string
  specifications: Partial<Specifications>
  is_local: boolean
  capacity: HostCapacityView
  sold_out: SoldOutPackageGroup[]
  /** ISO time at which Incus last responded. */
  seen_at: string | null
  can: Record<HostAction, Permission>
}

export interface HostedServerRow {
  id: number
  name: string
  ip: string | null
  /** Key of `hostedInstancesProvider.statuses`. */
  status: string
  ports: Record<string, number>
}

export interface HostView extends HostCard {
  username: string | null
  system_id: string | null
  incus_url: string | null
  ssh_port: number
  has_ssh_key: boolean
  created_at: string
  containment: ContainmentReport | null
  servers: HostedServerRow[]
  /** Bytes of `capacity.disk.allocated` that are reserved for the base image. */
  image_reserve: number
  package_capacity: PackageCapacity[]
}

export function hostCard(
  row: HostInstance,
  capacity: HostCapacityView,
  soldOut: SoldOutPackageGroup[]
): HostCard {
  return {
    id: row.id,
    name: row.name,
    ip: row.ip,
    status: row.status,
    status_reason: row.isSilent
      ? `${SILENT_REASON} The host gets no new instances.`
      : row.statusReason,
    provider: row.provider,
    specifications: row.specifications,
    is_local: row.isLocal && row.machineId === localMachineId(),
    capacity,
    sold_out: soldOut,
    seen_at: row.seenAt?.toISO() ?? null,
    can: hostPermissions(row, capacity.instances),
  }
}

export function hostView(
  row: HostInstance,
  capacity: HostCapacityView,
  soldOut: SoldOutPackageGroup[],
  servers: HostedServerRow[],
  disk: Pick<HostView, 'image_reserve' | 'package_capacity'>
): HostView {
  return {
    ...hostCard(row, capacity, soldOut),
    username: row.username,
    system_id: row.systemId,
    incus_url: row.incusUrl,
    ssh_port: row.sshPort,
    containment: row.containment,
    has_ssh_key: Boolean(row.sshKey),
    created_at: row.createdAt.toISO()!,
    servers,
    image_reserve: disk.image_reserve,
    package_capacity: disk.package_capacity,
  }
}
