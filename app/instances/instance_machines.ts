import { notReachable } from '#core/machine_errors'
import { AppError } from '#core/app_error'
import { isWorker } from '#core/local_host'
import { HostInstance, incusClientFor, offlineHostMessage } from '#hosts/public'
import { getOwnContainer } from '#instances/containers/labels'
import type ServerInstance from '#instances/models/server_instance'
import type { Incus } from '#packages/incus/main'
import {
  IncusMachine,
  type Machine,
  MachineError,
  MachinePool,
  type SshTarget,
} from '#packages/machine/main'

/** The sign-in name that the base image has; it may use sudo. */
export const SSH_USER = 'berth'

/** Time limit for an instance on an offline host to answer. */
const PROBE_TIMEOUT_MS = 2_000

const sshMachines = new MachinePool()
const incusMachines = new Map<string, { incus: Incus; machine: IncusMachine }>()

/**
 * The machine that an instance is: over SSH with its own key and pinned host key, or over Incus
 * for shared ones. Shared by everybody in this process; nobody closes it.
 * @throws a refusal when the instance is not active, or its host does not answer
 */
export async function connectToActiveInstance(instance: ServerInstance): Promise<Machine> {
  if (instance.status !== 'active') throw notReachable('This server instance is not active.')
  await assertHostAnswers(instance)
  return connectToInstance(instance)
}

/** As `connectToActiveInstance`, whatever its state; for the work that makes it active. */
export async function connectToInstance(instance: ServerInstance): Promise<Machine> {
  if (instance.instanceType === 'shared') return incusMachineFor(instance)
  return sshMachines.get(await sshTarget(instance))
}

/**
 * The machine over its host, whatever its type: the way in that is left where SSH does not answer.
 * @throws a refusal when the instance is not active
 */
export async function connectToActiveInstanceViaHost(instance: ServerInstance): Promise<Machine> {
  if (instance.status !== 'active') throw notReachable('This server instance is not active.')
  await assertHostAnswers(instance)
  return incusMachineFor(instance)
}

/**
 * Throws unless the host of an instance, or the instance itself, answers. The instance may be reachable over
 * SSH while the Incus of its host, or the console that manages the host, is down.
 * @throws AppError `host_silent` (503) with a message for customers
 */
async function assertHostAnswers(instance: ServerInstance): Promise<void> {
  const { hostInstanceId } = instance
  const host = instance.host ?? (hostInstanceId ? await HostInstance.find(hostInstanceId) : null)
  if (host?.status !== 'offline') return
  try {
    await (await connectToInstance(instance)).exec(['true'], { timeout: PROBE_TIMEOUT_MS })
  } catch (cause) {
    throw new AppError('host_silent', 503, offlineHostMessage(host.seenAt), {
      retryAfter: 30,
      cause,
    })
  }
}

async function incusMachineFor(instance: ServerInstance): Promise<Machine> {
  const host = await loadInstanceHost(instance)
  const incus = incusClientFor(host)
  if (!instance.systemId) throw notReachable('This server instance has not been created yet.')
  if (isWorker()) await assertOwn(incus, instance)
  const key = `${host.id}/${instance.systemId}`
  const known = incusMachines.get(key)
  // A host that is reached in another way has another client.
  if (known?.incus === incus) return known.machine
  const machine = new IncusMachine(incus.instances, instance.systemId)
  incusMachines.set(key, { incus, machine })
  return machine
}

/** What the broker sees to for everybody else. Called each time: another container may have the name by now. */
async function assertOwn(incus: Incus, instance: ServerInstance): Promise<void> {
  try {
    await getOwnContainer(incus, instance)
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw new MachineError('unreachable', 'The host of the machine does not answer', { cause })
  }
}

/** Where and how Berth signs in to a regular instance. */
export async function sshTarget(instance: ServerInstance): Promise<SshTarget> {
  const { ip, ports, username, sshKey, hostKey } = instance
  if (!ip || !ports.ssh || !sshKey || !hostKey) {
    throw notReachable('This server instance cannot be reached over SSH yet.')
  }
  return {
    host: ip,
    port: ports.ssh,
    username: username ?? SSH_USER,
    privateKey: sshKey,
    hostKey,
  }
}

/** Ends our connections to an instance that goes or moves. */
export async function closeInstanceConnections(instance: ServerInstance): Promise<void> {
  for (const [key, { machine }] of incusMachines) {
    if (!key.endsWith(`/${instance.systemId}`)) continue
    incusMachines.delete(key)
    await machine.close()
  }
  if (instance.sshKey && instance.hostKey && instance.ip && instance.ports.ssh) {
    await sshMachines.forget(await sshTarget(instance))
  }
}

/** The host that an instance is on. */
export async function loadInstanceHost(instance: ServerInstance): Promise<HostInstance> {
  const host = instance.hostInstanceId ? await HostInstance.find(instance.hostInstanceId) : null
  if (!host) throw notReachable('This server instance has no host yet.')
  return host
}

/** Ends all connections to instances; when the process stops and between tests. */
export async function closeAllInstanceConnections(): Promise<void> {
  const shared = [...incusMachines.values()]
  incusMachines.clear()
  await Promise.all([sshMachines.close(), ...shared.map(({ machine }) => machine.close())])
}
