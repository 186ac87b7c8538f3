import { HostInstance, ServerPackage } from '#compute/public'
import { inspectHost } from '#compute/actions/inspect_host'
import { openIncus } from '#compute/connections'
import { Person } from '#identity/public'
import type { Actor } from '#core/contracts/actor'
import type { FakeIncus } from '#packages/incus/fake'
import type { InstanceType } from '#compute/models/server_package'
import { randomUUID } from 'node:crypto'

/** A word that nobody else uses, fit for names. */
export function unique(prefix: string): string {
  return `${prefix}-${randomUUID().slice(0, 8)}`
}

/** A host whose Incus is behind a unix socket: the fake's, or a real one. */
export async function hostBehind(
  socketPath: string,
  change: Partial<HostInstance> = {}
): Promise<HostInstance> {
  const host = new HostInstance().merge({
    name: unique('host'),
    ip: '127.0.0.1',
    status: 'active',
    provider: 'test',
    isLocal: false,
    incusUrl: `unix:${socketPath}`,
    sshPort: 22,
  })
  const incus = openIncus(host)
  try {
    host.merge(await inspectHost(incus))
  } finally {
    await incus.close()
  }
  return host.merge(change).save()
}

/** A host whose Incus is the fake. */
export function fakeHost(fake: FakeIncus, change: Partial<HostInstance> = {}) {
  return hostBehind(fake.socketPath, change)
}

/** Takes a host out of every later test's sight. */
export async function retire(host: HostInstance): Promise<void> {
  await HostInstance.query().where('id', host.id).update({ status: 'deleted' })
}

/** A customer of one's own. */
export async function newCustomer(): Promise<Actor> {
  const email = `${randomUUID()}@compute.test`
  const person = await Person.create({ audience: 'customer', name: 'Test Customer', email })
  return person.asActor()
}

export async function newStaff(role: 'administrator' | 'support'): Promise<Person> {
  const email = `${randomUUID()}@compute.test`
  return Person.create({ audience: 'staff', role, name: 'Test Staff', email })
}

/** A package small enough for any machine; gigabytes. */
export function smallPackage(
  instanceType: InstanceType,
  size: { vcpu?: number; memoryMb?: number; diskGb?: number } = {}
): Promise<ServerPackage> {
  return ServerPackage.create({
    name: unique('small'),
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
