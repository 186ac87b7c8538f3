import type { StepContext } from '#core/operations/operations'
import { AppError } from '#core/app_error'
import { ISOLATION_SETTINGS, BASE_IMAGE, loadDefaultPoolAndNetwork } from '#hosts/public_effects'
import { reserveAddress } from '#instances/containers/reserve_address'
import { DISK_FULL_PATTERN } from '#instances/containers/limits'
import {
  incusNameOf,
  instanceIdOfContainer,
  instanceLabels,
  isOfAnotherOrder,
  orderTimeLabel,
} from '#instances/containers/labels'
import { TMPFS_LIMIT_FILES_VERSION_CONFIG } from '#instances/containers/power'
import { recordsAppliedMarkConfig } from '#instances/containers/reapply_recorded_settings'
import type { ContainerContext } from '#instances/containers/container_context'
import { containerNotOwned, containerOfAnotherOrder, storagePoolFull } from '#instances/errors'
import { limitConfig, cpuWeightConfig } from '#instances/runtime_limits'
import {
  type Device,
  type Incus,
  isIncusError,
  type NewInstance,
  nullIfNotFound,
} from '#packages/incus/main'

const CREATE_TIMEOUT_SECONDS = 300

export async function createContainer(work: ContainerContext, context: StepContext): Promise<void> {
  const { instance, host, incus } = work
  // Reads pool and network from Incus, not from the host's row: a manipulated row could name a network that is not for
  // customers.
  host.merge(await loadDefaultPoolAndNetwork(incus))
  // Computes the name instead of reading it from the row: manipulated rows could exchange the names of instances and
  // watchdogs.
  const name = await incusNameOf(instance.id)
  await instance.merge({ systemId: name }).save()
  const creationId = context.state.creating as string | undefined
  if (creationId) await finished(incus, creationId)
  if (await adoptExisting(work)) return
  await reserveAddress(instance, host, incus)
  const wanted = await containerSettings(work)
  try {
    await createNew(incus, wanted, context)
  } catch (error) {
    if (isIncusError(error, 'conflict') && (await adoptExisting(work))) return
    // Without certain kernel modules, the host cannot filter forged addresses. The container is then created without
    // these filters.
    if (!isIncusError(error) || !/filter/i.test(error.message)) throw error
    await createNew(incus, withoutFilters(wanted), context)
  }
  await context.reportProgress(`Created ${name}`)
}

async function createNew(incus: Incus, wanted: NewInstance, context: StepContext): Promise<void> {
  const operation = await incus.instances.create(wanted)
  await context.saveState('creating', operation.id)
  try {
    await operation.wait(CREATE_TIMEOUT_SECONDS)
  } catch (error) {
    if (isIncusError(error) && DISK_FULL_PATTERN.test(error.message)) throw storagePoolFull(error)
    if (!isIncusError(error, 'timed_out')) throw error
    const message =
      'The host is very slow. Berth continues automatically when the container exists.'
    throw new AppError('slow_host', 503, message, { cause: error })
  }
}

/** Uses a container that already exists, and waits until it is ready. Returns false if none exists. */
async function adoptExisting({ instance, incus }: ContainerContext): Promise<boolean> {
  const name = instance.systemId!
  const container = await nullIfNotFound(incus.instances.get(name))
  if (!container) {
    // Incus may have accepted the creation, although its list does not contain the container yet.
    return (
      (await waitForOperation(incus, name)) &&
      Boolean(await nullIfNotFound(incus.instances.get(name)))
    )
  }
  if ((await instanceIdOfContainer(container)) !== instance.id) throw containerNotOwned(name)
  if (isOfAnotherOrder(instance, container)) throw containerOfAnotherOrder(name)
  await waitForOperation(incus, name)
  const address = container.devices.eth0?.['ipv4.address']
  if (address && address !== instance.privateIp) {
    instance.privateIp = address
    await instance.save()
  }
  return true
}

/** Waits for Incus's operations on the container. Returns whether there were any. */
async function waitForOperation(incus: Incus, name: string): Promise<boolean> {
  const running = await incus.operations()
  const related = running.filter(({ resources }) =>
    Object.values(resources ?? {})
      .flat()
      .some((path) => path.split('?')[0].endsWith(`/instances/${name}`))
  )
  for (const { id } of related) await finished(incus, id)
  return related.length > 0
}

/**
 * Waits for an operation of Incus. Ignores errors, for example of a finished operation that Incus no longer knows,
 * because the caller then checks the container. Throws if Incus is unreachable.
 */
async function finished(incus: Incus, id: string): Promise<void> {
  try {
    await incus.operation(id).wait(CREATE_TIMEOUT_SECONDS)
  } catch (error) {
    if (!isIncusError(error) || isIncusError(error, 'unreachable')) throw error
  }
}

async function containerSettings({ instance, host }: ContainerContext): Promise<NewInstance> {
  return {
    name: instance.systemId!,
    image: BASE_IMAGE,
    description: `Berth instance ${instance.id}`,
    profiles: ['default'],
    config: {
      ...limitConfig(instance.limits),
      ...cpuWeightConfig(instance.limits),
      ...ISOLATION_SETTINGS,
      ...TMPFS_LIMIT_FILES_VERSION_CONFIG,
      ...recordsAppliedMarkConfig(),
      ...(await instanceLabels(instance.id)),
      ...orderTimeLabel(instance),
    },
    devices: {
      root: {
        type: 'disk',
        path: '/',
        pool: host.storagePool!,
        size: String(instance.diskBytes),
      },
      eth0: {
        type: 'nic',
        name: 'eth0',
        network: host.network!,
        'ipv4.address': instance.privateIp!,
        'security.port_isolation': 'true',
        'security.mac_filtering': 'true',
        'security.ipv4_filtering': 'true',
      },
    },
    ...(host.systemId ? { target: host.systemId } : {}),
  }
}

function withoutFilters(wanted: NewInstance): NewInstance {
  const eth0: Device = { ...wanted.devices!.eth0 }
  delete eth0['security.mac_filtering']
  delete eth0['security.ipv4_filtering']
  return { ...wanted, devices: { ...wanted.devices, eth0 } }
}
