import {
  assertInstanceCan,
  instancesVisibleTo,
  type ServerInstance,
  findSelectedInstance,
} from '#instances/public'
import { noInstance } from '#files/errors'
import type { InstanceChoice } from '#files/transformers/page_props'
import { WebRoot } from '#files/machine/web_root'
import { grantOwnerAccessToWebRoot } from '#guest/public_effects'
import { connectToActiveInstance } from '#instances/public_effects'
import type { Machine } from '#packages/machine/main'
import type { HttpContext } from '@adonisjs/core/http'

/** @throws 409 if no instance is selected, or if it is not active */
export async function requireSelectedInstance(ctx: HttpContext): Promise<ServerInstance> {
  const instance = await findSelectedInstance(ctx)
  if (!instance) throw noInstance()
  assertInstanceCan('manage', instance)
  return instance
}

const ownershipSetUp = new WeakSet<Machine>()

export async function openInstanceWebRoot(instance: ServerInstance): Promise<WebRoot> {
  return openMachineWebRoot(await connectToActiveInstance(instance))
}

/**
 * Opens the web root. On its first use in this process, also sets the web root's default ACL, which
 * lets the owner change new files. Does not wait for that.
 */
export function openMachineWebRoot(machine: Machine): WebRoot {
  if (!ownershipSetUp.has(machine)) {
    ownershipSetUp.add(machine)
    grantOwnerAccessToWebRoot(machine).catch(() => void ownershipSetUp.delete(machine))
  }
  return new WebRoot(machine)
}

export async function openSelectedWebRoot(ctx: HttpContext): Promise<WebRoot> {
  return openInstanceWebRoot(await requireSelectedInstance(ctx))
}

export async function listInstanceChoices(
  { actor }: HttpContext,
  selected: ServerInstance | null
): Promise<InstanceChoice[]> {
  if (actor.audience === 'staff') return selected ? [choiceOf(selected)] : []
  const mine = await instancesVisibleTo(actor).orderBy('id')
  return mine.map(choiceOf)
}

function choiceOf({ id, name, status }: ServerInstance): InstanceChoice {
  return { id, name, status }
}
