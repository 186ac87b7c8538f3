import { isWorker } from '#core/local_host'
import { hostUnreachable } from '#hosts/errors'
import { assertLocallyReachable } from '#hosts/local_hosts'
import HostInstance from '#hosts/models/host_instance'
import env from '#start/env'
import { Incus } from '#packages/incus/main'
import { createHash } from 'node:crypto'

const incusClients = new Map<number, { key: string; incus: Incus }>()

/**
 * The client connects to a Unix socket on this machine, or by HTTPS with both certificates pinned. Each process
 * shares one client per host, so callers must not close it.
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

/** Opens a client that the caller must close. */
export function openIncusClient(host: IncusAddress): Incus {
  const socket = incusSocketPath(host)
  return socket ? Incus.local(socket) : remoteIncus(host)
}

type IncusAddress = Pick<
  HostInstance,
  'name' | 'isLocal' | 'incusUrl' | 'incusCertificate' | 'clientCertificate' | 'clientKey'
>

/**
 * Returns the path of the Unix socket. Null: Incus is reached by HTTPS. The worker ignores `unix:/path` in the
 * host's row, because a manipulated row could lead it to an attacker's Incus and a malicious base image.
 */
function incusSocketPath({ isLocal, incusUrl }: IncusAddress): string | null {
  if (incusUrl?.startsWith('unix:') && !isWorker()) return incusUrl.slice('unix:'.length)
  return isLocal ? (env.get('INCUS_SOCKET') ?? process.env.INCUS_SOCKET ?? null) : null
}

function remoteIncus(host: IncusAddress): Incus {
  const { incusUrl, incusCertificate, clientCertificate, clientKey, name } = host
  if (!incusUrl || !incusCertificate || !clientCertificate || !clientKey) {
    throw hostUnreachable(
      name,
      new Error('the address, certificate or client key for its Incus is not stored')
    )
  }
  return Incus.remote({
    url: incusUrl,
    serverCertificate: incusCertificate,
    cert: clientCertificate,
    key: clientKey,
  })
}

/** Call it at process shutdown and between tests. */
export async function closeIncusConnections(): Promise<void> {
  const open = [...incusClients.values()]
  incusClients.clear()
  await Promise.all(open.map(({ incus }) => incus.close()))
}
