import { ServerPackage } from '#catalog/public'
import { ServerInstance } from '#instances/public'
import type { SshTarget } from '#packages/machine/main'
import { randomUUID } from 'node:crypto'

/** Creates an instance row. By default nothing responds at the instance's address. */
export async function makeInstance(
  customer: { id: number },
  more: Partial<ServerInstance> = {}
): Promise<ServerInstance> {
  const instanceType = more.instanceType ?? 'shared'
  const offered = await ServerPackage.query().where('instanceType', instanceType).firstOrFail()
  return ServerInstance.create({
    accountId: customer.id,
    serverPackageId: offered.id,
    name: `web-${randomUUID().slice(0, 8)}`,
    instanceType,
    status: 'active',
    billingPeriod: 'month',
    ip: '192.0.2.7',
    ports: {},
    boostMode: false,
    ...more,
  })
}

/** Creates an instance row with the address of this SSH server. */
export function makeInstanceAt(
  customer: { id: number },
  { host, port, username, privateKey, hostKey }: SshTarget
): Promise<ServerInstance> {
  return makeInstance(customer, {
    instanceType: 'regular',
    ip: host,
    ports: { ssh: port! },
    username,
    sshKey: privateKey,
    hostKey,
  })
}
