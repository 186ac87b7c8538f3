import type { Specifications } from '#catalog/public'
import type { Incus } from '#packages/incus/main'
import { AppError } from '#core/app_error'

/** Facts that Incus reports about a host, in bytes and counts. Only `diskUsed` changes often. */
export interface HostInspection {
  cpuTotal: number
  memoryTotal: number
  diskTotal: number
  diskUsed: number
  storagePool: string
  network: string
  specifications: Partial<Specifications>
}

const BYTES_PER_GIB = 1024 ** 3

/** Code of the error of a host whose Incus has no storage pool or no bridge. */
export const HOST_NOT_SET_UP = 'host_not_set_up'

export type DefaultPoolAndNetwork = Pick<HostInspection, 'storagePool' | 'network'>

/**
 * Returns the storage pool and bridge of Incus's default profile. If the profile names no pool, returns the first
 * pool. If it has no network device, returns the first managed bridge.
 * @throws AppError `host_not_set_up` if there is none, or if the profile's network device uses no managed bridge
 */
export async function loadDefaultPoolAndNetwork(incus: Incus): Promise<DefaultPoolAndNetwork> {
  const { pool, bridge } = await findInstanceDefaults(incus)
  return { storagePool: pool.name, network: bridge.name }
}

async function findInstanceDefaults(incus: Incus) {
  const [profile, pools, networks] = await Promise.all([
    incus.profiles.get('default'),
    incus.storagePools.list(),
    incus.networks.list(),
  ])
  const devices = Object.values(profile.devices)
  const root = devices.find(({ type, path }) => type === 'disk' && path === '/')
  const nic = devices.find(({ type }) => type === 'nic')
  const pool = pools.find(({ name }) => name === root?.pool) ?? pools[0]
  const bridges = networks.filter(({ type, managed }) => type === 'bridge' && managed)
  const bridge =
    bridges.find(({ name }) => name === (nic?.network ?? nic?.parent)) ??
    (nic ? undefined : bridges[0])
  if (!pool || !bridge) {
    throw new AppError(
      HOST_NOT_SET_UP,
      422,
      'Incus on this host has no storage pool or no network bridge. Run "incus admin init" on the host first.'
    )
  }
  return { pool, bridge }
}

/** @throws AppError `host_not_set_up`, as `loadDefaultPoolAndNetwork` does */
export async function inspectHost(incus: Incus): Promise<HostInspection> {
  const [resources, { pool, bridge }] = await Promise.all([
    incus.resources(),
    findInstanceDefaults(incus),
  ])
  const { space } = await incus.storagePools.resources(pool.name)
  const { cpu, memory } = resources
  return {
    cpuTotal: cpu.total,
    memoryTotal: memory.total,
    diskTotal: space.total,
    diskUsed: space.used,
    storagePool: pool.name,
    network: bridge.name,
    specifications: {
      vcpu: { value: cpu.total },
      ram: { value: roundMemory(memory.total), unit: 'GB' },
      storage: { value: roundMemory(space.total), unit: 'GB', type: pool.driver },
    },
  }
}

/**
 * Rejects members of a cluster: Berth would treat one member as the whole cluster, and Incus would create
 * instances on other members.
 * @throws AppError `host_in_cluster` (422), also for a cluster of one member
 */
export async function assertNotClustered(incus: Incus): Promise<void> {
  const reason = await findClusterReason(incus)
  if (reason === null) return
  throw new AppError(
    'host_in_cluster',
    422,
    `${reason} Add a machine whose Incus is not in a cluster.`
  )
}

/** If this Incus is a member of a cluster, returns why Berth cannot manage it. Otherwise returns null. */
export async function findClusterReason(incus: Incus): Promise<string | null> {
  const { server_clustered: isClustered, server_name: name } = (await incus.info()).environment
  return isClustered
    ? `${name} is a member of an Incus cluster. Berth manages single Incus servers only.`
    : null
}

/** Converts bytes to GiB with one decimal. */
function roundMemory(bytes: number): number {
  return Math.round((bytes / BYTES_PER_GIB) * 10) / 10
}
