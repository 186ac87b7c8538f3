import { isWorker } from '#core/local_host'
import { hostUnreachable } from '#hosts/errors'
import { assertLocallyReachable } from '#hosts/local_hosts'
import HostInstance from '#hosts/models/host_instance'
import env from '#start/env'
import { Incus } from '#packages/incus/main'
import { createHash } from 'node:crypto'

const incusClients = new Map<number, { key: string; incus: Incus }>()

/**
 * The Incus of a host: its unix socket on this machine, HTTPS with both certificates pinned
 * elsewhere. One client for each host and process; nobody closes it.
 * @throws NotOnThisHost for a socket of another machine
 */
export function incusClientFor(host: HostInstance): Incus {
  assertLocallyReachable(host)
  const { incusUrl, incusCertificate, clientCertificate, clientKey } = host
  const socket = incusSocketPath(host)
  const parts = [socket, incusUrl, incusCertificate, clientCertificate, clientKey]
  const key = createHash('sha256').update(JSON.stringify(parts)).digest('base64')
  const known = incusClients.get(host.id)
  if (known?.key === key) return known.incus
  void known?.incus.close()
  const incus = openIncusClient(host)
  incusClients.set(host.id, { key, incus })
  return incus
}

/** A client of a host's Incus for the caller alone, who closes it. */
export function openIncusClient(host: IncusAddress): Incus {
  const socket = incusSocketPath(host)
  return socket ? Incus.local(socket) : remoteIncus(host)
}

type IncusAddress = Pick<
  HostInstance,
  'name' | 'isLocal' | 'incusUrl' | 'incusCertificate' | 'clientCertificate' | 'clientKey'
>

/**
 * A host whose Incus is a unix socket names it as `unix:/path`; this machine's own stands in the settings. The worker
 * goes by those alone: whoever writes rows could lead it to an Incus of their own making, and with that one's base
 * image make the next watchdog.
 */
function incusSocketPath({ isLocal, incusUrl }: IncusAddress): string | null {
  if (incusUrl?.startsWith('unix:') && !isWorker()) return incusUrl.slice('unix:'.length)
  return isLocal ? (env.get('INCUS_SOCKET') ?? process.env.INCUS_SOCKET ?? null) : null
}

function remoteIncus(host: IncusAddress): Incus {
  const { incusUrl, incusCertificate, clientCertificate, clientKey, name } = host
  if (!incusUrl || !incusCertificate || !clientCertificate || !clientKey) {
    throw hostUnreachable(name, new Error('nothing is known of how to reach its Incus'))
  }
  return Incus.remote({
    url: incusUrl,
    serverCertificate: incusCertificate,
    cert: clientCertificate,
    key: clientKey,
  })
}

/** Ends all connections; when the process stops and between tests. */
export async function closeIncusConnections(): Promise<void> {
  const open = [...incusClients.values()]
  incusClients.clear()
  await Promise.all(open.map(({ incus }) => incus.close()))
}
