import { INSTALLATION_CONFIG_KEY, loadInstallationId, uniqueIncusName } from '#hosts/public_effects'
import { containerNotOwned } from '#instances/errors'
import type ServerInstance from '#instances/models/server_instance'
import type { Incus, Instance } from '#packages/incus/main'

const INSTANCE_KEY = 'user.berth.instance'
/** Config key. Value: Unix time in milliseconds at which the instance was ordered. */
const ORDER_TIME_KEY = 'user.berth.ordered'

export async function instanceLabels(instanceId: number): Promise<Record<string, string>> {
  return {
    [INSTALLATION_CONFIG_KEY]: await loadInstallationId(),
    [INSTANCE_KEY]: String(instanceId),
  }
}

export const CLEARED_LABELS: Record<string, string> = {
  [INSTALLATION_CONFIG_KEY]: '',
  [INSTANCE_KEY]: '',
  [ORDER_TIME_KEY]: '',
}

/**
 * Returns a label with the time of the order, for a new container. After the restore of a database
 * backup, a new order can get an instance id that existed before; the time tells the two orders
 * apart.
 */
export function orderTimeLabel({
  createdAt,
}: Pick<ServerInstance, 'createdAt'>): Record<string, string> {
  return { [ORDER_TIME_KEY]: String(createdAt.toMillis()) }
}

/**
 * Returns whether the container was created for another order than the instance. Containers of earlier releases lack
 * the label and count as the instance's.
 */
export function isOfAnotherOrder(
  { createdAt }: Pick<ServerInstance, 'createdAt'>,
  { config }: Pick<Instance, 'config'>
): boolean {
  const orderTime = config[ORDER_TIME_KEY]
  return Boolean(orderTime) && orderTime !== String(createdAt.toMillis())
}

/** Returns `berth-`, six hex digits of the installation id, and the instance id. */
export function incusNameOf(instanceId: number): Promise<string> {
  return uniqueIncusName(String(instanceId))
}

/**
 * Returns whether the container is the instance's own. A copy made with Incus's tools has the same labels, but another
 * name, because names are unique on a host.
 */
export async function isContainerOf(
  { id, systemId }: Pick<ServerInstance, 'id' | 'systemId'>,
  container: Pick<Instance, 'name' | 'config'>
): Promise<boolean> {
  const name = systemId ?? (await incusNameOf(id))
  return container.name === name && (await instanceIdOfContainer(container)) === id
}

/** Returns the id of the container's instance, or null if another installation or program created the container. */
export async function instanceIdOfContainer({
  config,
}: Pick<Instance, 'config'>): Promise<number | null> {
  if (config[INSTALLATION_CONFIG_KEY] !== (await loadInstallationId())) return null
  const id = Number(config[INSTANCE_KEY])
  return Number.isSafeInteger(id) && id > 0 ? id : null
}

/**
 * Returns the instance's container after checking its labels. A manipulated database row could name any container,
 * even the watchdog, which has root access to the host.
 * @throws AppError `not_ours` if the container was created for something else
 */
export async function getOwnContainer(
  incus: Incus,
  { id, systemId }: Pick<ServerInstance, 'id' | 'systemId'>
): Promise<Instance> {
  const container = await incus.instances.get(systemId!)
  if ((await instanceIdOfContainer(container)) !== id) throw containerNotOwned(systemId!)
  return container
}
