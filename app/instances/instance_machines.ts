import { instanceNotReachable } from '#core/machine_errors'
import { AppError } from '#core/app_error'
import { isWorker } from '#core/local_host'
import { HostInstance, offlineHostMessage } from '#hosts/public'
import { incusClientFor } from '#hosts/public_effects'
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

/** Login user of the base image. It may use sudo. */
export const SSH_USER = 'berth'

/** Timeout of the test command for an instance whose host is recorded as offline. */
const PROBE_TIMEOUT_MS = 2_000

const sshMachines = new MachinePool()
const incusMachines = new Map<string, { incus: Incus; machine: IncusMachine }>()

/**
 * Connects by SSH with the instance's key and pinned host key, or through Incus for shared instances. The connection
 * opens with the first command. It is shared within this process, so callers must not close it.
 * @throws AppError if the instance is not active, or if its host is offline and the instance does not respond
 */
export async function connectToActiveInstance(instance: ServerInstance): Promise<Machine> {
  if (instance.status !== 'active')
    throw instanceNotReachable('This server instance is not active.')
  await assertHostAnswers(instance)
  return connectToInstance(instance)
}

/**
 * Connects without checking the status or the host. For operations that make an instance active, and for tests of
 * whether it responds.
 */
export async function connectToInstance(instance: ServerInstance): Promise<Machine> {
  if (instance.instanceType === 'shared') return incusMachineFor(instance)
  return sshMachines.get(await sshTarget(instance))
}

/**
 * Connects through the host's Incus, which works even if the instance does not respond over SSH.
 * @throws AppError if the instance is not active, or if its host is offline and the instance does not respond
 */
export async function connectToActiveInstanceViaHost(instance: ServerInstance): Promise<Machine> {
  if (instance.status !== 'active')
    throw instanceNotReachable('This server instance is not active.')
  await assertHostAnswers(instance)
  return incusMachineFor(instance)
}

/**
 * If the host is recorded as offline and does not respond, checks that the instance responds. It can be reachable
 * over SSH while its host's Incus is down.
 * @throws AppError `host_silent` (503) with a message for customers, if neither responds
 */
async function assertHostAnswers(instance: ServerInstance): Promise<void> {
  const { hostInstanceId } = instance
  const host = instance.host ?? (hostInstanceId ? await HostInstance.find(hostInstanceId) : null)
  if (host?.status !== 'offline' || host.respondsThoughOffline) return
  try {
    await (await connectToInstance(instance)).exec(['true'], { timeout: PROBE_TIMEOUT_MS })
  } catch (cause) {
    throw new AppError('host_silent', 503, offlineHostMessage(host), {
      retryAfter: 30,
      cause,
    })
  }
}

async function incusMachineFor(instance: ServerInstance): Promise<Machine> {
  const host = await loadInstanceHost(instance)
  const incus = incusClientFor(host)
  if (!instance.systemId)
    throw instanceNotReachable('This server instance has not been created yet.')
  if (isWorker()) await assertOwn(incus, instance)
  const key = `${host.id}/${instance.systemId}`
  const known = incusMachines.get(key)
  // When the host's connection settings change, the host gets a new Incus client, and the stored machine must not be
  // used.
  if (known?.incus === incus) return known.machine
  const machine = new IncusMachine(incus.instances, instance.systemId)
  incusMachines.set(key, { incus, machine })
  return machine
}

/**
 * Runs at every call, because another container may have taken the name. Only workers run it; other processes use the
 * broker, which makes the same check.
 */
async function assertOwn(incus: Incus, instance: ServerInstance): Promise<void> {
  try {
    await getOwnContainer(incus, instance)
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw new MachineError('unreachable', 'The host of the machine does not answer', { cause })
  }
}

/** @throws if the instance cannot be reached over SSH yet */
export async function sshTarget(instance: ServerInstance): Promise<SshTarget> {
  const { ip, ports, username, sshKey, hostKey } = instance
  if (!ip || !ports.ssh || !sshKey || !hostKey) {
    throw instanceNotReachable('This server instance cannot be reached over SSH yet.')
  }
  return {
    host: ip,
    port: ports.ssh,
    username: username ?? SSH_USER,
    privateKey: sshKey,
    hostKey,
  }
}

/** Call it before the instance stops, moves or is deleted. */
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

export async function loadInstanceHost(instance: ServerInstance): Promise<HostInstance> {
  const host = instance.hostInstanceId ? await HostInstance.find(instance.hostInstanceId) : null
  if (!host) throw instanceNotReachable('This server instance has no host yet.')
  return host
}

/** Call it at process shutdown and between tests. */
export async function closeAllInstanceConnections(): Promise<void> {
  const shared = [...incusMachines.values()]
  incusMachines.clear()
  await Promise.all([sshMachines.close(), ...shared.map(({ machine }) => machine.close())])
}
