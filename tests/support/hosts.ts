import { HostInstance } from '#hosts/public'
import { ServerPackage } from '#catalog/public'
import { inspectHost } from '#hosts/inspect_host'
import { openIncusClient } from '#hosts/incus_connections'
import { FakeIncus } from '#packages/incus/fake'
import { ServerInstance } from '#instances/public'
import { FakeSshServers } from '#tests/support/fake_ssh_servers'
import type { InstanceType } from '#catalog/models/server_package'
import { randomUUID } from 'node:crypto'

export function uniqueName(prefix: string): string {
  return `${prefix}-${randomUUID().slice(0, 8)}`
}

/** @param socketPath Unix socket of a fake or a real Incus */
export async function createHost(
  socketPath: string,
  change: Partial<HostInstance> = {}
): Promise<HostInstance> {
  const host = new HostInstance().merge({
    name: uniqueName('host'),
    ip: '127.0.0.1',
    status: 'active',
    provider: 'test',
    isLocal: false,
    incusUrl: `unix:${socketPath}`,
    sshPort: 22,
  })
  const incus = openIncusClient(host)
  try {
    host.merge(await inspectHost(incus))
  } finally {
    await incus.close()
  }
  return host.merge(change).save()
}

export function createFakeHost(fake: FakeIncus, change: Partial<HostInstance> = {}) {
  return createHost(fake.socketPath, change)
}

/** Marks the hosts as deleted, so that later tests do not use them. */
export async function retireHosts(...hosts: HostInstance[]): Promise<void> {
  const ids = hosts.map(({ id }) => id)
  await HostInstance.query().whereIn('id', ids).update({ status: 'deleted' })
}

/**
 * Puts all active hosts into maintenance, so that no instances are scheduled on them.
 * @returns a function that makes these hosts active again
 */
export async function disableOtherHosts(): Promise<() => Promise<void>> {
  const active = await HostInstance.query().where('status', 'active').select('id')
  const ids = active.map(({ id }) => id)
  await HostInstance.query().whereIn('id', ids).update({ status: 'maintenance' })
  return async () => {
    await HostInstance.query()
      .whereIn('id', ids)
      .where('status', 'maintenance')
      .update({ status: 'active' })
  }
}

/** A host in the database that uses a fake Incus. `stop` also marks its instances as deleted. */
export interface FakeHost {
  fake: FakeIncus
  host: HostInstance
  stop(): Promise<void>
}

interface FakeHostOptions {
  change?: Partial<HostInstance>
  /** Whether all other hosts go into maintenance until `stop`, so that new instances are scheduled on this host. */
  alone?: boolean
  /** Whether each instance gets a fake SSH server. */
  ssh?: boolean
}

export async function startFakeHost(options: FakeHostOptions = {}): Promise<FakeHost> {
  const { change, alone = false, ssh = false } = options
  const restore = alone ? await disableOtherHosts() : undefined
  const fake = await FakeIncus.start()
  const machines = ssh ? new FakeSshServers(fake) : undefined
  const host = await createFakeHost(fake, change)
  const stop = async () => {
    await ServerInstance.query().where('hostInstanceId', host.id).update({ status: 'deleted' })
    await retireHosts(host)
    await machines?.stop()
    await fake.stop()
    await restore?.()
  }
  return { fake, host, stop }
}

/** Creates a package (a plan for instances) that is so small that it fits on any machine. */
export function createSmallPackage(
  instanceType: InstanceType,
  size: { vcpu?: number; memoryMb?: number; diskGb?: number } = {}
): Promise<ServerPackage> {
  return ServerPackage.create({
    name: uniqueName('small'),
    instanceType,
    serverSeries: 'bronze',
    specifications: {
      vcpu: { value: size.vcpu ?? 1 },
      ram: { value: size.memoryMb ?? 256, unit: 'MB' },
      storage: { value: size.diskGb ?? 1, unit: 'GB', type: 'SSD' },
      bandwidth: { value: 100, unit: 'GB' },
    },
    pricing: [
      { period: 'month', price: '1.00', renew: '1.00', billing_cycle: 1 },
      { period: 'year', price: '10.00', renew: '10.00', billing_cycle: 12 },
    ],
    offered: true,
    position: 999,
  })
}
