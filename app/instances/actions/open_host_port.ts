import { incusClientFor } from '#hosts/public_effects'
import { portDeviceName, forwardPort, releasePort } from '#instances/containers/ports'
import { removeDevices } from '#instances/containers/update_container'
import { withInstanceLock } from '#instances/instance_lock'
import { hostHidesClientAddresses } from '#instances/errors'
import { loadInstanceHost } from '#instances/instance_machines'
import type ServerInstance from '#instances/models/server_instance'
import db from '@adonisjs/lucid/services/db'

interface OpenOptions {
  /**
   * Whether the program inside the instance must see the addresses of clients. Only NAT in the kernel preserves them.
   */
  keepsAddresses?: boolean
}

/**
 * Returns the host port. Idempotent.
 * @throws AppError 409 if `keepsAddresses` is set and the host cannot preserve client addresses
 */
export function openHostPort(
  instance: ServerInstance,
  innerPort: number,
  { keepsAddresses = false }: OpenOptions = {}
): Promise<number> {
  return withInstanceLock(instance.id, async () => {
    const host = await loadInstanceHost(instance)
    const name = String(innerPort)
    const incus = incusClientFor(host)
    const port = await forwardPort(instance, host, incus, { name, innerPort })
    if (keepsAddresses) {
      const { devices } = await incus.instances.get(instance.systemId!)
      if (devices[portDeviceName(name)]?.nat !== 'true') {
        await removeDevices(incus, instance.systemId!, [portDeviceName(name)])
        await releasePort(instance, name)
        throw hostHidesClientAddresses()
      }
    }
    const added = JSON.stringify({ [name]: port })
    await db.rawQuery('update server_instances set ports = ports || ?::jsonb where id = ?', [
      added,
      instance.id,
    ])
    return port
  })
}

/**
 * @param keepsLease whether the port stays reserved, so that `openHostPort` opens the same port
 * later
 */
export function closeHostPort(
  instance: ServerInstance,
  innerPort: number,
  { keepsLease = false } = {}
): Promise<void> {
  return withInstanceLock(instance.id, async () => {
    const incus = incusClientFor(await loadInstanceHost(instance))
    const name = String(innerPort)
    const { devices } = await incus.instances.get(instance.systemId!)
    if (devices[portDeviceName(name)])
      await removeDevices(incus, instance.systemId!, [portDeviceName(name)])
    if (!keepsLease) await releasePort(instance, name)
    await db.rawQuery('update server_instances set ports = ports - ? where id = ?', [
      name,
      instance.id,
    ])
  })
}
