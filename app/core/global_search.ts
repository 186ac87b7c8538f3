import { createAbilityFilter } from '#core/ability_filter'
import type { Actor } from '#core/contracts/actor'
import type { SearchResult } from '#core/contracts/menu_and_dashboard'
import { allModules } from '#core/modules'
import type { SqlCondition } from '#core/list_page'
import type { LucidModel, ModelQueryBuilderContract } from '@adonisjs/lucid/types/model'

const MAX_RESULTS_PER_KIND = 5
const MIN_QUERY_LENGTH = 2

export async function searchEverything(actor: Actor, text: string): Promise<SearchResult[]> {
  const query = text.trim()
  if (query.length < MIN_QUERY_LENGTH) return []
  const may = createAbilityFilter(actor)
  const finders = allModules()
    .flatMap(({ find }) => find ?? [])
    .filter((one) => may(one) && (!one.audience || one.audience === actor.audience))
  if (actor.audience === 'customer' && !actor.account) return []
  const results = await Promise.all(
    finders.map(async ({ kind, of }) =>
      (await of(actor, query, MAX_RESULTS_PER_KIND)).map((result) => ({ kind, ...result }))
    )
  )
  return results.flat()
}

export function queryNewestMatching<Model extends LucidModel>(
  query: ModelQueryBuilderContract<Model, InstanceType<Model>>,
  { sql, bindings }: SqlCondition,
  limit: number
) {
  return query.whereRaw(`(${sql})`, bindings).orderBy('id', 'desc').limit(limit)
}
