import { getInstance, instancesVisibleTo, type ServerInstance } from '#instances/public'
import type { HttpContext } from '@adonisjs/core/http'

const SELECTED_INSTANCE_KEY = 'chosen_instance'

/**
 * The instance that a request is about: the one it names, else the one chosen in this session, else
 * the person's default, else the first active one. 404 for a named one that the person does not have.
 * Null when there is none at all, and for staff, who have none of their own, when none is named.
 */
export async function findSelectedInstance(ctx: HttpContext): Promise<ServerInstance | null> {
  const actor = ctx.actor!
  const named = ctx.request.qs().server_instance_id ?? ctx.request.input('server_instance_id')
  if (named !== undefined && named !== null && named !== '') {
    const instance = await getInstance(actor, named)
    ctx.session.put(SELECTED_INSTANCE_KEY, instance.id)
    return instance
  }
  if (actor.audience === 'staff') return null
  const mine = await instancesVisibleTo(actor).orderBy('id')
  const active = mine.filter(({ status }) => status === 'active')
  const find = (id: unknown) => active.find((instance) => String(instance.id) === String(id))
  return (
    find(ctx.session.get(SELECTED_INSTANCE_KEY)) ??
    find(actor.account?.defaultInstanceId) ??
    active[0] ??
    null
  )
}
