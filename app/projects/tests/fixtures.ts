import HostInstance from '#hosts/models/host_instance'
import type ServerInstance from '#instances/models/server_instance'
import Project from '#projects/models/project'
import { randomUUID } from 'node:crypto'

export { makeInstance } from '#guest/tests/instances'

/** Creates a host whose Incus listens on a local socket. */
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

/** Creates a project like the `store` route, but without a setup operation. */
export function makeProject(
  instance: ServerInstance,
  more: Partial<Project> = {}
): Promise<Project> {
  return Project.create({
    accountId: instance.accountId,
    serverInstanceId: instance.id,
    name: 'Shop',
    stack: 'static',
    path: `shop-${randomUUID().slice(0, 8)}`,
    status: 'active',
    ...more,
  })
}
