import { listLocalHosts } from '#hosts/public'
import { incusClientFor } from '#hosts/public_effects'
import { getOwnContainer } from '#instances/containers/labels'
import {
  portDeviceName,
  EDGE_PORT_NAME_PREFIX,
  forwardPort,
  releasePort,
} from '#instances/containers/ports'
import { removeDevices } from '#instances/containers/update_container'
import { withInstanceLock } from '#instances/instance_lock'
import { loadInstanceHost } from '#instances/instance_machines'
import ServerInstance from '#instances/models/server_instance'
import db from '@adonisjs/lucid/services/db'

export interface InstancePort {
  server_instance_id: number
  inner_port: number
}

/** Lists the ports that the edge uses on this console's hosts. Customers do not see these ports. */
export function listHostPortsForEdge(): Promise<(InstancePort & { port: number })[]> {
  return db
    .from('port_leases')
    .whereLike('name', `${EDGE_PORT_NAME_PREFIX}%`)
    .whereIn('host_instance_id', listLocalHosts().select('id'))
    .select('server_instance_id', 'inner_port', 'port')
}

/** Returns the host port. Idempotent. */
export function openHostPortForEdge({
  server_instance_id: id,
  inner_port: innerPort,
}: InstancePort): Promise<number> {
  return withInstanceLock(id, async () => {
    const instance = await ServerInstance.findOrFail(id)
    const host = await loadInstanceHost(instance)
    const incus = incusClientFor(host)
    await getOwnContainer(incus, instance)
    const name = `${EDGE_PORT_NAME_PREFIX}${innerPort}`
    try {
      return await forwardPort(instance, host, incus, { name, innerPort })
    } catch (error) {
      await releasePort(instance, name)
      throw error
    }
  })
}

export function closeHostPortForEdge({
  server_instance_id: id,
  inner_port: innerPort,
}: InstancePort): Promise<void> {
  return withInstanceLock(id, async () => {
    const instance = await ServerInstance.findOrFail(id)
    const name = `${EDGE_PORT_NAME_PREFIX}${innerPort}`
    if (instance.status === 'active' || instance.status === 'stopped') {
      const incus = incusClientFor(await loadInstanceHost(instance))
      const device = portDeviceName(name)
      const { devices } = await getOwnContainer(incus, instance)
      if (devices[device]) await removeDevices(incus, instance.systemId!, [device])
    }
    await releasePort(instance, name)
  })
}
