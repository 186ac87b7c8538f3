import HostInstance from '#hosts/models/host_instance'
import ServerInstance from '#instances/models/server_instance'
import ServerPackage from '#catalog/models/server_package'
import type Person from '#identity/models/person'
import Project from '#projects/models/project'
import { randomUUID } from 'node:crypto'

/** An active instance of a customer; nothing answers behind it unless told where. */
export async function makeInstance(
  customer: Person,
  more: Partial<ServerInstance> = {}
): Promise<ServerInstance> {
  const offered = await ServerPackage.query().where('instanceType', 'shared').firstOrFail()
  return ServerInstance.create({
    customerId: customer.id,
    serverPackageId: offered.id,
    name: `web-${randomUUID().slice(0, 8)}`,
    instanceType: 'shared',
    status: 'active',
    billingPeriod: 'month',
    ip: '192.0.2.7',
    ports: {},
    boostMode: false,
    ...more,
  })
}

/** A host whose Incus is at a socket of this machine. */
export function makeHost(socket: string, more: Partial<HostInstance> = {}): Promise<HostInstance> {
  return HostInstance.create({
    name: `host-${randomUUID().slice(0, 8)}`,
    ip: '127.0.0.1',
    status: 'active',
    provider: 'test',
    isLocal: false,
    incusUrl: `unix:${socket}`,
    sshPort: 22,
    specifications: {},
    ...more,
  })
}

/** A project as `store` leaves it, without its work. */
export function makeProject(
  instance: ServerInstance,
  more: Partial<Project> = {}
): Promise<Project> {
  return Project.create({
    customerId: instance.customerId,
    serverInstanceId: instance.id,
    name: 'Shop',
    stack: 'static',
    path: `shop-${randomUUID().slice(0, 8)}`,
    status: 'active',
    ...more,
  })
}
