import { closeHiddenPort, hiddenPorts, type InnerPort, openHiddenPort } from '#instances/public'
import logger from '@adonisjs/core/services/logger'

export interface Needed extends InnerPort {
  /** Of the domain: one that is not served yet may have a lease and nothing behind it. */
  status: string
  host_status: string
}

const keyOf = ({ server_instance_id: id, inner_port: port }: InnerPort) => `${id}/${port}`

/**
 * The edge of this machine reaches instances of other hosts by ports of those hosts, which nobody
 * is told. Opens what is missing, closes what no domain needs any more, and returns the ports; one
 * is missing where its host is away.
 */
export async function edgePorts(
  needed: Needed[]
): Promise<(inner: InnerPort) => number | undefined> {
  const leases = await hiddenPorts()
  const ports = new Map(leases.map((lease) => [keyOf(lease), lease.port]))
  const wanted = new Map(needed.map((inner) => [keyOf(inner), inner]))
  const missing = [...wanted].filter(
    ([key, inner]) => (!ports.has(key) || inner.status !== 'active') && mayForward(inner)
  )
  const unused = leases.filter((lease) => !wanted.has(keyOf(lease)))
  await Promise.all([
    ...missing.map(([key, inner]) =>
      quietly(async () => void ports.set(key, await openHiddenPort(inner)))
    ),
    ...unused.map((inner) => quietly(() => closeHiddenPort(inner))),
  ])
  return (inner) => ports.get(keyOf(inner))
}

/** Whether the host is there to be asked for a port. */
export function mayForward({ host_status: host }: Pick<Needed, 'host_status'>): boolean {
  return host === 'active' || host === 'maintenance'
}

async function quietly(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    logger.warn({ err: error }, 'a domain cannot be led to its host')
  }
}
