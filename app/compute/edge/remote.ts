import { removeDevices } from '#compute/actions/update_instance'
import { deviceOf, EDGE_PORT, forwardPort, releasePort } from '#compute/actions/ports'
import { hostOf, incusOf } from '#compute/connections'
import { alone } from '#compute/lock'
import ServerInstance from '#compute/models/server_instance'
import logger from '@adonisjs/core/services/logger'
import db from '@adonisjs/lucid/services/db'

/** A port inside an instance of another host. */
interface Inner {
  server_instance_id: number
  inner_port: number
}

export interface Needed extends Inner {
  /** Of the domain: one that is not served yet may have a lease and nothing behind it. */
  status: string
  host_status: string
}

const keyOf = ({ server_instance_id: id, inner_port: port }: Inner) => `${id}/${port}`

/**
 * The edge of this machine reaches instances of other hosts by ports of those hosts, which nobody
 * is told. Opens what is missing, closes what no domain needs any more, and returns the ports; one
 * is missing where its host is away.
 */
export async function edgePorts(needed: Needed[]): Promise<(inner: Inner) => number | undefined> {
  const leases: (Inner & { port: number })[] = await db
    .from('port_leases')
    .whereLike('name', `${EDGE_PORT}%`)
    .select('server_instance_id', 'inner_port', 'port')
  const ports = new Map(leases.map((lease) => [keyOf(lease), lease.port]))
  const wanted = new Map(needed.map((inner) => [keyOf(inner), inner]))
  const missing = [...wanted].filter(
    ([key, { status, host_status: host }]) =>
      (!ports.has(key) || status !== 'active') && (host === 'active' || host === 'maintenance')
  )
  const unused = leases.filter((lease) => !wanted.has(keyOf(lease)))
  await Promise.all([
    ...missing.map(([key, inner]) => quietly(async () => void ports.set(key, await open(inner)))),
    ...unused.map((inner) => quietly(() => close(inner))),
  ])
  return (inner) => ports.get(keyOf(inner))
}

function open({ server_instance_id: id, inner_port: innerPort }: Inner): Promise<number> {
  return alone(id, async () => {
    const instance = await ServerInstance.findOrFail(id)
    const host = await hostOf(instance)
    const name = `${EDGE_PORT}${innerPort}`
    try {
      return await forwardPort(instance, host, incusOf(host), { name, innerPort })
    } catch (error) {
      // A lease says that the port leads there, which it does not.
      await releasePort(instance, name)
      throw error
    }
  })
}

function close({ server_instance_id: id, inner_port: innerPort }: Inner): Promise<void> {
  return alone(id, async () => {
    const instance = await ServerInstance.findOrFail(id)
    const name = `${EDGE_PORT}${innerPort}`
    if (instance.status === 'active' || instance.status === 'stopped') {
      const incus = incusOf(await hostOf(instance))
      const device = deviceOf(name)
      const { devices } = await incus.instances.get(instance.systemId!)
      if (devices[device]) await removeDevices(incus, instance.systemId!, [device])
    }
    await releasePort(instance, name)
  })
}

async function quietly(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    logger.warn({ err: error }, 'a domain cannot be led to its host')
  }
}
