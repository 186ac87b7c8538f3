import { INSTALLATION_CONFIG_KEY, loadInstallationId, uniqueIncusName } from '#hosts/public'
import { containerNotOwned } from '#instances/errors'
import type ServerInstance from '#instances/models/server_instance'
import type { Incus, Instance } from '#packages/incus/main'

const INSTANCE_KEY = 'user.berth.instance'

/** The settings that mark a container as an instance of ours. */
export async function instanceLabels(instanceId: number): Promise<Record<string, string>> {
  return {
    [INSTALLATION_CONFIG_KEY]: await loadInstallationId(),
    [INSTANCE_KEY]: String(instanceId),
  }
}

/** The settings of a container that is no longer ours. */
export const CLEARED_LABELS: Record<string, string> = {
  [INSTALLATION_CONFIG_KEY]: '',
  [INSTANCE_KEY]: '',
}

/** Its name in Incus: `berth-`, some letters of the installation, the id. */
export function incusNameOf(instanceId: number): Promise<string> {
  return uniqueIncusName(String(instanceId))
}

/**
 * Whether a container is the one of an instance. A copy made by tools of Incus has all settings of the original, labels
 * and marks included, but never its name: names are unique on a host.
 */
export async function isContainerOf(
  { id, systemId }: Pick<ServerInstance, 'id' | 'systemId'>,
  container: Pick<Instance, 'name' | 'config'>
): Promise<boolean> {
  const name = systemId ?? (await incusNameOf(id))
  return container.name === name && (await instanceIdOfContainer(container)) === id
}

/** The id that a container of this installation was made for; null for everybody else's. */
export async function instanceIdOfContainer({
  config,
}: Pick<Instance, 'config'>): Promise<number | null> {
  if (config[INSTALLATION_CONFIG_KEY] !== (await loadInstallationId())) return null
  const id = Number(config[INSTANCE_KEY])
  return Number.isSafeInteger(id) && id > 0 ? id : null
}

/**
 * The container of an instance as Incus has it. A row can name any container of the host, even the watchdog, which
 * is root there; what Incus has written down says whose it is.
 * @throws refusal `not_ours` for one that was not made for it
 */
export async function getOwnContainer(
  incus: Incus,
  { id, systemId }: Pick<ServerInstance, 'id' | 'systemId'>
): Promise<Instance> {
  const container = await incus.instances.get(systemId!)
  if ((await instanceIdOfContainer(container)) !== id) throw containerNotOwned(systemId!)
  return container
}
