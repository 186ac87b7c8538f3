import { accountIdOf, type Actor } from '#core/contracts/actor'
import { notFound } from '#core/app_error'
import { containsOrStartsWith, type ListDefinition } from '#core/list_page'
import Greeting from '#greetings/models/greeting'
import { greetingStatuses } from '#greetings/statuses'

export const greetingList: ListDefinition = {
  statuses: greetingStatuses,
  sorts: { text: 'lower(text)', status: 'status' },
  search: containsOrStartsWith('text'),
}

/** Queries the greetings that a person may see: customers those of their account, staff all. */
export function greetingsVisibleTo(actor: Actor) {
  const query = Greeting.query()
  return actor.audience === 'staff' ? query : query.where('account_id', accountIdOf(actor))
}

/** @throws the same 404 for unknown greetings and those of other accounts */
export async function getGreeting(actor: Actor, id: number): Promise<Greeting> {
  const greeting = await greetingsVisibleTo(actor).where({ id }).first()
  if (!greeting) throw notFound('greeting')
  return greeting
}
