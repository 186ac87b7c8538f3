import type { ServerResponse } from 'node:http'
import type { Acl, Network } from '../networks.ts'
import type { Profile } from '../profiles.ts'
import type { StoragePool } from '../storage.ts'
import type { FakeRequest } from './http.ts'
import { sendMetadata, checkEtag, FakeError, parseJsonBody } from './http.ts'
import type { FakeState } from './state.ts'
import { instanceAddress } from './state.ts'

type Nouns = 'network-acls' | 'storage-pools' | 'profiles'

/**
 * Handles list, create, change and delete calls for network ACLs, storage pools and profiles, which all work the same
 * way.
 */
export function handleCollection(
  state: FakeState,
  noun: Nouns,
  request: FakeRequest,
  response: ServerResponse
): void {
  const [, name, part] = request.parts
  const collection: Map<string, Acl | StoragePool | Profile> = {
    'network-acls': state.acls,
    'storage-pools': state.pools,
    profiles: state.profiles,
  }[noun] as Map<string, Acl | StoragePool | Profile>
  if (!name) {
    if (request.method === 'GET') return sendMetadata(response, [...collection.values()])
    const body = parseJsonBody<Acl & StoragePool & Profile>(request)
    if (collection.has(body.name)) throw new FakeError(409, `"${body.name}" already exists`)
    collection.set(body.name, { ...body, config: body.config ?? {}, used_by: [] })
    return sendMetadata(response, {})
  }
  const item = collection.get(name)
  if (!item) throw new FakeError(404, `${noun.replace(/s$/, '')} not found`)
  if (part === 'resources') {
    const space = { used: 5_000_000_000, total: state.means.disk }
    return sendMetadata(response, { space, inodes: { used: 0, total: 0 } })
  }
  change(collection, name, item, request, response)
}

export function handleNetworks(
  state: FakeState,
  request: FakeRequest,
  response: ServerResponse
): void {
  const [, name, part] = request.parts
  if (!name) {
    if (request.method === 'GET') return sendMetadata(response, [...state.networks.values()])
    const body = parseJsonBody<Network>(request)
    if (state.networks.has(body.name)) throw new FakeError(409, 'Network already exists')
    const newNetwork = { ...body, managed: true, status: 'Created', used_by: [] }
    state.networks.set(body.name, { ...newNetwork, config: body.config ?? {} })
    return sendMetadata(response, {})
  }
  const network = state.networks.get(name)
  if (!network) throw new FakeError(404, 'Network not found')
  if (part === 'state') return sendMetadata(response, networkState(network))
  if (part === 'leases') {
    const leases = [...state.instances.values()].map((each) => ({
      hostname: each.instance.name,
      hwaddr: '10:66:6a:00:00:01',
      address: instanceAddress(each),
      type: 'dynamic',
      location: 'none',
    }))
    return sendMetadata(response, leases)
  }
  change(state.networks, name, network, request, response)
}

function networkState(network: Network): unknown {
  const [address, netmask] = (network.config['ipv4.address'] ?? '192.0.2.1/24').split('/')
  const addresses = [{ family: 'inet', address, netmask, scope: 'global' }]
  return { addresses, hwaddr: '10:66:6a:00:00:00', mtu: 1500, state: 'up', type: 'broadcast' }
}

function change<T extends object>(
  collection: Map<string, T>,
  name: string,
  item: T,
  request: FakeRequest,
  response: ServerResponse
): void {
  switch (request.method) {
    case 'GET':
      return sendMetadata(response, item, item)
    case 'DELETE':
      collection.delete(name)
      return sendMetadata(response, {})
  }
  checkEtag(request, item)
  const body = parseJsonBody<Record<string, unknown>>(request)
  const present = item as { config?: Record<string, string> }
  if (request.method === 'PATCH') {
    const config = { ...present.config, ...(body.config as Record<string, string> | undefined) }
    Object.assign(item, body, { config })
  } else {
    Object.assign(item, body)
  }
  sendMetadata(response, {})
}

export function metricsText(state: FakeState): string {
  const lines: string[] = []
  for (const { instance, startedAt } of state.instances.values()) {
    if (instance.status !== 'Running') continue
    const labels = `name="${instance.name}",project="default",type="${instance.type}"`
    const seconds = (Date.now() - startedAt) / 100_000
    lines.push(
      `incus_cpu_seconds_total{cpu="0",mode="user",${labels}} ${seconds}`,
      `incus_memory_MemTotal_bytes{${labels}} 536870912`,
      `incus_memory_MemAvailable_bytes{${labels}} 486870912`,
      `incus_filesystem_size_bytes{device="/dev/loop0",fstype="btrfs",mountpoint="/",${labels}} 3221225472`,
      `incus_filesystem_avail_bytes{device="/dev/loop0",fstype="btrfs",mountpoint="/",${labels}} 3211225472`,
      `incus_network_receive_bytes_total{device="eth0",${labels}} 1000`,
      `incus_network_transmit_bytes_total{device="eth0",${labels}} 500`,
      `incus_procs_total{${labels}} 12`
    )
  }
  return `${lines.join('\n')}\n# EOF\n`
}

export function serverInfo(state: FakeState): unknown {
  return {
    api_extensions: ['etag', 'instances', 'network_forward', 'metrics', 'instance_all_projects'],
    api_status: 'stable',
    api_version: '1.0',
    auth: 'trusted',
    config: state.config,
    environment: {
      addresses: [],
      architectures: ['x86_64'],
      certificate: '',
      certificate_fingerprint: '',
      driver: 'lxc',
      firewall: 'nftables',
      kernel: 'Linux',
      kernel_version: '6.1.0',
      os_name: 'Debian GNU/Linux',
      os_version: '12',
      project: 'default',
      server: 'incus',
      server_clustered: state.isClustered,
      server_name: 'fake',
      server_pid: process.pid,
      server_version: '6.0.4',
      storage: 'btrfs',
    },
  }
}

export function memberState({ means }: FakeState): unknown {
  const sysinfo = { load_averages: [0.5, 0.4, 0.3], total_ram: means.memory }
  return { sysinfo, storage_pools: {} }
}

export function serverResources({ means }: FakeState): unknown {
  return {
    cpu: {
      architecture: 'x86_64',
      total: means.processors,
      sockets: [{ name: 'Fake', cores: [] }],
    },
    memory: { total: means.memory, used: 4 * 1024 ** 3 },
    storage: { total: 1, disks: [{ id: 'sda', size: 100_000_000_000 }] },
    network: { total: 1 },
  }
}
