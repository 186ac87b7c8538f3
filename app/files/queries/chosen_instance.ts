import { assertCan, findInstance, instancesOf, type ServerInstance } from '#instances/public'
import { noInstance } from '#files/errors'
import type { InstanceChoice } from '#files/transformers/pages'
import { WebRoot } from '#files/machine/web_root'
import { agreeOnOwners, machineOf } from '#guest/public'
import type { Machine } from '#packages/machine/main'
import type { HttpContext } from '@adonisjs/core/http'

const CHOSEN = 'file_manager_instance'

/**
 * The instance that a request is about: the one it names, else the one chosen in this session, else
 * the person's default, else the first active one. 404 for a named one that the person does not have.
 * Null when there is none at all, and for staff, who have none of their own, when none is named.
 */
export async function chosenInstance(ctx: HttpContext): Promise<ServerInstance | null> {
  const actor = ctx.actor!
  const named = ctx.request.qs().server_instance_id ?? ctx.request.input('server_instance_id')
  if (named !== undefined && named !== null && named !== '') {
    const instance = await findInstance(actor, named)
    ctx.session.put(CHOSEN, instance.id)
    return instance
  }
  if (actor.audience === 'staff') return null
  const mine = await instancesOf(actor).orderBy('id')
  const active = mine.filter(({ status }) => status === 'active')
  const find = (id: unknown) => active.find((instance) => String(instance.id) === String(id))
  return (
    find(ctx.session.get(CHOSEN)) ?? find(actor.account?.defaultInstanceId) ?? active[0] ?? null
  )
}

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
