import { incusOf } from '#hosts/public'
import { deviceOf, forwardPort, releasePort } from '#instances/containers/ports'
import { removeDevices } from '#instances/containers/rewrite'
import { withInstanceLock } from '#instances/lock'
import { hostOf } from '#instances/machines'
import type ServerInstance from '#instances/models/server_instance'
import db from '@adonisjs/lucid/services/db'

/**
 * Makes a port of the host lead to a port of an instance, under the name of that port, and returns
 * it. Repeating it changes nothing.
 */
export function openPort(instance: ServerInstance, innerPort: number): Promise<number> {
  return withInstanceLock(instance.id, async () => {
    const host = await hostOf(instance)
    const name = String(innerPort)
    const port = await forwardPort(instance, host, incusOf(host), { name, innerPort })
    const added = JSON.stringify({ [name]: port })
    await db.rawQuery('update server_instances set ports = ports || ?::jsonb where id = ?', [
      added,
      instance.id,
    ])
    return port
  })
}

/** Ends that; a port that is not open is fine. */
export function closePort(instance: ServerInstance, innerPort: number): Promise<void> {
  return withInstanceLock(instance.id, async () => {
    const incus = incusOf(await hostOf(instance))
    const name = String(innerPort)
    const { devices } = await incus.instances.get(instance.systemId!)
    if (devices[deviceOf(name)]) await removeDevices(incus, instance.systemId!, [deviceOf(name)])
    await releasePort(instance, name)
    await db.rawQuery('update server_instances set ports = ports - ? where id = ?', [
      name,
      instance.id,
    ])
  })
}
