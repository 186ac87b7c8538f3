import { hostAway } from '#compute/errors'
import { notReachable } from '#core/machine_refusal'
import HostInstance from '#compute/models/host_instance'
import type ServerInstance from '#compute/models/server_instance'
import env from '#start/env'
import { Incus } from '#packages/incus/main'
import { IncusMachine, type Machine, MachinePool, type SshTarget } from '#packages/machine/main'
import { createHash } from 'node:crypto'

/** The sign-in name that the base image has; it may use sudo. */
export const SIGN_IN_NAME = 'berth'

const clients = new Map<number, { key: string; incus: Incus }>()
const machines = new MachinePool()
const inside = new Map<string, IncusMachine>()

/**
 * The Incus of a host: its unix socket on this machine, HTTPS with both certificates pinned
 * elsewhere. One client for each host and process; nobody closes it.
 */
export function incusOf(host: HostInstance): Incus {
  const { incusUrl, incusCertificate, clientCertificate, clientKey } = host
  const socket = socketOf(host)
  const parts = [socket, incusUrl, incusCertificate, clientCertificate, clientKey]
  const key = createHash('sha256').update(JSON.stringify(parts)).digest('base64')
  const known = clients.get(host.id)
  if (known?.key === key) return known.incus
  void known?.incus.close()
  const incus = openIncus(host)
  clients.set(host.id, { key, incus })
  return incus
}

/** A client of a host's Incus for the caller alone, who closes it. */
export function openIncus(host: IncusAddress): Incus {
  const socket = socketOf(host)
  return socket ? Incus.local(socket) : remoteIncus(host)
}

type IncusAddress = Pick<
  HostInstance,
  'name' | 'isLocal' | 'incusUrl' | 'incusCertificate' | 'clientCertificate' | 'clientKey'
>

/** A host whose Incus is a unix socket names it as `unix:/path`; this machine's own stands in the settings. */
function socketOf({ isLocal, incusUrl }: IncusAddress): string | null {
  if (incusUrl?.startsWith('unix:')) return incusUrl.slice('unix:'.length)
  return isLocal ? (env.get('INCUS_SOCKET') ?? process.env.INCUS_SOCKET ?? null) : null
}

function remoteIncus(host: IncusAddress): Incus {
  const { incusUrl, incusCertificate, clientCertificate, clientKey, name } = host
  if (!incusUrl || !incusCertificate || !clientCertificate || !clientKey) {
    throw hostAway(name, new Error('nothing is known of how to reach its Incus'))
  }
  return Incus.remote({
    url: incusUrl,
    serverCertificate: incusCertificate,
    cert: clientCertificate,
    key: clientKey,
  })
}

/**
 * The machine that an instance is: over SSH with its own key and pinned host key, or over Incus
 * for shared ones. Shared by everybody in this process; nobody closes it.
 * @throws a refusal when the instance is not active
 */
export async function machineOf(instance: ServerInstance): Promise<Machine> {
  if (instance.status !== 'active') throw notReachable('This server instance is not active.')
  return reach(instance)
}

/** As `machineOf`, whatever its state; for the work that makes it active. */
export async function reach(instance: ServerInstance): Promise<Machine> {
  if (instance.instanceType === 'shared') return insideOf(instance)
  return machines.get(await sshTargetOf(instance))
}

/**
 * The machine over its host, whatever its type: the way in that is left where SSH does not answer.
 * @throws a refusal when the instance is not active
 */
export async function machineThroughHost(instance: ServerInstance): Promise<Machine> {
  if (instance.status !== 'active') throw notReachable('This server instance is not active.')
  return insideOf(instance)
}

async function insideOf(instance: ServerInstance): Promise<Machine> {
  const host = await hostOf(instance)
  const incus = incusOf(host)
  if (!instance.systemId) throw notReachable('This server instance has not been made yet.')
  const key = `${host.id}/${clients.get(host.id)!.key}/${instance.systemId}`
  const known = inside.get(key)
  if (known) return known
  const machine = new IncusMachine(incus.instances, instance.systemId)
  inside.set(key, machine)
  return machine
}

/** Where and how Berth signs in to a regular instance. */
export async function sshTargetOf(instance: ServerInstance): Promise<SshTarget> {
  const { ip, ports, username, sshKey, hostKey } = instance
  if (!ip || !ports.ssh || !sshKey || !hostKey) {
    throw notReachable('This server instance cannot be reached over SSH yet.')
  }
  return {
    host: ip,
    port: ports.ssh,
    username: username ?? SIGN_IN_NAME,
    privateKey: sshKey,
    hostKey,
  }
}

/** Ends our connections to an instance that goes or moves. */
export async function forget(instance: ServerInstance): Promise<void> {
  for (const [key, machine] of inside) {
    if (!key.endsWith(`/${instance.systemId}`)) continue
    inside.delete(key)
    await machine.close()
  }
  if (instance.sshKey && instance.hostKey && instance.ip && instance.ports.ssh) {
    await machines.forget(await sshTargetOf(instance))
  }
}

/** The host that an instance is on. */
export async function hostOf(instance: ServerInstance): Promise<HostInstance> {
  const host = instance.hostInstanceId ? await HostInstance.find(instance.hostInstanceId) : null
  if (!host) throw notReachable('This server instance has no host yet.')
  return host
}

/** Ends all connections; when the process stops and between tests. */
export async function closeConnections(): Promise<void> {
  const open = [...clients.values()]
  clients.clear()
  const shared = [...inside.values()]
  inside.clear()
  await Promise.all([
    machines.close(),
    ...shared.map((machine) => machine.close()),
    ...open.map(({ incus }) => incus.close()),
  ])
}
