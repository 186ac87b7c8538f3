import { audit } from '#core/audit/audit'
import { localMachineId } from '#core/local_host'
import { openIncusClient } from '#hosts/incus_connections'
import { listLocalHosts } from '#hosts/local_hosts'
import { assertNotClustered, type HostInspection, inspectHost } from '#hosts/inspect_host'
import { findLimitsProblem } from '#hosts/resource_limits'
import HostInstance from '#hosts/models/host_instance'
import { DateTime } from 'luxon'
import { createSocket } from 'node:dgram'
import { hostname } from 'node:os'

/**
 * Registers this machine's Incus as a host, or updates the registered host. A machine that does not limit instances
 * becomes offline, unless it is in maintenance.
 * @throws IncusError if Incus does not respond; AppError `host_in_cluster` if it is a member of a cluster
 */
export async function registerLocalHost(): Promise<{ host: HostInstance; isNew: boolean }> {
  const known = await listLocalHosts().where('isLocal', true).first()
  const host =
    known ??
    new HostInstance().merge({
      name: await findFreeHostName(),
      machineId: localMachineId(),
      isLocal: true,
      provider: 'Local',
      sshPort: 22,
      status: 'pending',
    })
  const { details, limitsProblem } = await readHostDetails(host)
  host.merge({
    ...details,
    ip: process.env.PUBLIC_IP ?? known?.ip ?? (await findOutboundAddress()),
    seenAt: DateTime.utc(),
    incusResponds: true,
  })
  if (limitsProblem !== null && host.status !== 'maintenance') {
    host.merge({ status: 'offline', statusReason: limitsProblem })
  } else if (host.status === 'pending' || host.status === 'offline') {
    host.merge({ status: 'active', statusReason: null })
  }
  await host.save()
  if (!known) {
    await audit({
      actor: null,
      action: 'host.register',
      subject: { type: 'host_instance', id: host.id, label: host.name },
      after: { ip: host.ip, specifications: host.specifications },
    })
  }
  return { host, isNew: !known }
}

async function readHostDetails(
  host: HostInstance
): Promise<{ details: HostInspection; limitsProblem: string | null }> {
  const incus = openIncusClient(host)
  try {
    await assertNotClustered(incus)
    const details = await inspectHost(incus)
    return { details, limitsProblem: await findLimitsProblem(host, incus) }
  } finally {
    await incus.close()
  }
}

async function findFreeHostName(): Promise<string> {
  const wanted = hostname().split('.')[0] || 'this-machine'
  const taken = await HostInstance.query().where('name', wanted).first()
  return taken ? `${wanted}-${Date.now().toString(36)}` : wanted
}

/** Returns this machine's address on the interface with the default route, or 127.0.0.1 if there is none. */
export function findOutboundAddress(): Promise<string> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4')
    const end = (address: string) => {
      socket.close()
      resolve(address)
    }
    socket.once('error', () => end('127.0.0.1'))
    // Any public address selects the default route. This one is reserved for documentation. Connecting a UDP socket
    // sends no packet.
    socket.connect(53, '198.51.100.1', () => {
      const { address } = socket.address()
      end(address === '0.0.0.0' ? '127.0.0.1' : address)
    })
  })
}
