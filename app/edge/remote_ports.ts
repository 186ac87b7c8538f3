import { forEachLimit } from '#core/for_each_limit'
import {
  closeHostPortForEdge,
  listHostPortsForEdge,
  type InstancePort,
  openHostPortForEdge,
} from '#instances/public_effects'
import logger from '@adonisjs/core/services/logger'

export interface NeededPort extends InstancePort {
  host_status: string
  /**
   * True: forward the port again although it is already forwarded according to the database,
   * because the host may have lost it.
   */
  again: boolean
}

/**
 * Opens up to `places` ports at once. A request that takes longer than `timeoutMs` goes on, but the
 * next one can begin.
 */
const PORT_CONCURRENCY = { places: 32, timeoutMs: 2_000 }

const keyOf = ({ server_instance_id: id, inner_port: port }: InstancePort) => `${id}/${port}`

/**
 * Opens missing ports on other hosts and closes unused ones.
 * @param needed without duplicates
 * @returns a function that returns the host's port for an instance's port, or undefined if the port
 *   could not be opened
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

export function hostAcceptsPortRequests({
  host_status: host,
}: Pick<NeededPort, 'host_status'>): boolean {
  return host === 'active' || host === 'maintenance'
}

async function logErrors(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    logger.warn({ err: error }, 'the ports of a domain could not be forwarded to its host')
  }
}
