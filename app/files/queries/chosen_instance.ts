import { assertCan, instancesOf, type ServerInstance } from '#instances/public'
import { noInstance } from '#files/errors'
import type { InstanceChoice } from '#files/transformers/pages'
import { WebRoot } from '#files/machine/web_root'
import { agreeOnOwners, chosenInstance, machineOf } from '#guest/public'
import type { Machine } from '#packages/machine/main'
import type { HttpContext } from '@adonisjs/core/http'

/** The same, ready for work: 409 when there is none or it is not active. */
export async function requireInstance(ctx: HttpContext): Promise<ServerInstance> {
  const instance = await chosenInstance(ctx)
  if (!instance) throw noInstance()
  assertCan('manage', instance)
  return instance
}

const agreed = new WeakSet<Machine>()

/** The web root of an active instance. */
export async function webRootOf(instance: ServerInstance): Promise<WebRoot> {
  return webRootOn(await machineOf(instance))
}

/**
 * The web root of a machine. Instances from before terminal and file manager agreed about
 * owners are brought to it the first time that this process reaches them; nobody waits for that.
 */
export function webRootOn(machine: Machine): WebRoot {
  if (!agreed.has(machine)) {
    agreed.add(machine)
    agreeOnOwners(machine).catch(() => void agreed.delete(machine))
  }
  return new WebRoot(machine)
}

/** The web root that a request is about. */
export async function requireWebRoot(ctx: HttpContext): Promise<WebRoot> {
  return webRootOf(await requireInstance(ctx))
}

/** What the selector offers: a customer's instances; for staff the one that they came for. */
export async function instanceChoices(
  { actor }: HttpContext,
  chosen: ServerInstance | null
): Promise<InstanceChoice[]> {
  if (actor!.audience === 'staff') return chosen ? [choiceOf(chosen)] : []
  const mine = await instancesOf(actor!).orderBy('id')
  return mine.map(choiceOf)
}

function choiceOf({ id, name, status }: ServerInstance): InstanceChoice {
  return { id, name, status }
}
