import { forEachLimit } from '#core/for_each_limit'
import {
  closeHostPortForEdge,
  listHostPortsForEdge,
  type InstancePort,
  openHostPortForEdge,
} from '#instances/public'
import logger from '@adonisjs/core/services/logger'

/** A way into an instance of another host. */
export interface NeededPort extends InstancePort {
  host_status: string
  /** Opened again although there is a lease: nothing may be behind it. */
  again: boolean
}

/** Ports that are opened at once, and the milliseconds until one that is late no longer counts. */
const PORT_CONCURRENCY = { places: 32, timeoutMs: 2_000 }

const keyOf = ({ server_instance_id: id, inner_port: port }: InstancePort) => `${id}/${port}`

/**
 * The edge of this machine reaches instances of other hosts by ports of those hosts, which nobody
 * is told. Opens what is missing, closes what no domain needs any more, and returns the ports; one
 * is missing where its host is away.
 * @param needed each way once
 */
export async function syncRemotePorts(
  needed: NeededPort[]
): Promise<(inner: InstancePort) => number | undefined> {
  const leases = await listHostPortsForEdge()
  const ports = new Map(leases.map((lease) => [keyOf(lease), lease.port]))
  const wanted = new Set(needed.map(keyOf))
  const missing = needed.filter(
    (inner) => (!ports.has(keyOf(inner)) || inner.again) && hostAcceptsPortRequests(inner)
  )
  const unused = leases.filter((lease) => !wanted.has(keyOf(lease)))
  await forEachLimit(missing, PORT_CONCURRENCY, (inner) =>
    logErrors(async () => void ports.set(keyOf(inner), await openHostPortForEdge(inner)))
  )
  await forEachLimit(unused, PORT_CONCURRENCY, (inner) =>
    logErrors(() => closeHostPortForEdge(inner))
  )
  return (inner) => ports.get(keyOf(inner))
}

/** Whether the host is there to be asked for a port. */
export function hostAcceptsPortRequests({
  host_status: host,
}: Pick<NeededPort, 'host_status'>): boolean {
  return host === 'active' || host === 'maintenance'
}

async function logErrors(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    logger.warn({ err: error }, 'a domain cannot be led to its host')
  }
}
