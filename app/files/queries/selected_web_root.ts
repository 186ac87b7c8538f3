import { assertInstanceCan, instancesVisibleTo, type ServerInstance } from '#instances/public'
import { noInstance } from '#files/errors'
import type { InstanceChoice } from '#files/transformers/page_props'
import { WebRoot } from '#files/machine/web_root'
import {
  grantOwnerAccessToWebRoot,
  findSelectedInstance,
  connectToActiveInstance,
} from '#guest/public'
import type { Machine } from '#packages/machine/main'
import type { HttpContext } from '@adonisjs/core/http'

/** The same, ready for work: 409 when there is none or it is not active. */
export async function requireSelectedInstance(ctx: HttpContext): Promise<ServerInstance> {
  const instance = await findSelectedInstance(ctx)
  if (!instance) throw noInstance()
  assertInstanceCan('manage', instance)
  return instance
}

const ownershipSetUp = new WeakSet<Machine>()

/** The web root of an active instance. */
export async function openInstanceWebRoot(instance: ServerInstance): Promise<WebRoot> {
  return openMachineWebRoot(await connectToActiveInstance(instance))
}

/**
 * The web root of a machine. Instances from before terminal and file manager agreed about
 * owners are brought to it the first time that this process reaches them; nobody waits for that.
 */
export function openMachineWebRoot(machine: Machine): WebRoot {
  if (!ownershipSetUp.has(machine)) {
    ownershipSetUp.add(machine)
    grantOwnerAccessToWebRoot(machine).catch(() => void ownershipSetUp.delete(machine))
  }
  return new WebRoot(machine)
}

/** The web root that a request is about. */
export async function openSelectedWebRoot(ctx: HttpContext): Promise<WebRoot> {
  return openInstanceWebRoot(await requireSelectedInstance(ctx))
}

/** What the selector offers: a customer's instances; for staff the one that they came for. */
export async function listInstanceChoices(
  { actor }: HttpContext,
  selected: ServerInstance | null
): Promise<InstanceChoice[]> {
  if (actor!.audience === 'staff') return selected ? [choiceOf(selected)] : []
  const mine = await instancesVisibleTo(actor!).orderBy('id')
  return mine.map(choiceOf)
}

function choiceOf({ id, name, status }: ServerInstance): InstanceChoice {
  return { id, name, status }
}
