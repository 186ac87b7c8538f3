import { getInstance, instancesVisibleTo, type ServerInstance } from '#instances/public'
import type { HttpContext } from '@adonisjs/core/http'

const SELECTED_INSTANCE_KEY = 'chosen_instance'

/**
 * Returns the instance named in the request, else the one selected in the session, else the
 * customer's default, else the first active one. Null if there is none, and for staff if none is
 * named.
 * @throws 404 if the customer has no instance with the named id
 */
export async function findSelectedInstance(ctx: HttpContext): Promise<ServerInstance | null> {
  const actor = ctx.actor
  const named = ctx.request.qs().server_instance_id ?? ctx.request.input('server_instance_id')
  if (named !== undefined && named !== null && named !== '') {
    const instance = await getInstance(actor, named)
    ctx.session.put(SELECTED_INSTANCE_KEY, instance.id)
    return instance
  }
  if (actor.audience === 'staff') return null
  const mine = await instancesVisibleTo(actor).orderBy('id')
  const active = mine.filter(({ status }) => status === 'active')
  const find = (id: unknown) => active.find((instance) => instance.id === id)
  return (
    find(ctx.session.get(SELECTED_INSTANCE_KEY)) ??
    find(actor.account?.defaultInstanceId) ??
    active[0] ??
    null
  )
}
