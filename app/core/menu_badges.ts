import type { Actor } from '#core/contracts/actor'
import { allModules } from '#core/modules'
import db from '@adonisjs/lucid/services/db'

export interface CountQuery {
  toSQL(): { sql: string; bindings?: unknown }
}

/** Omits counts of zero. Runs at most one query. */
export async function loadMenuBadges(actor: Actor): Promise<Record<string, number>> {
  const pending = allModules().flatMap(({ badges }) => Object.entries(badges?.(actor) ?? {}))
  if (pending.length === 0) return {}
  const parts = pending.map(([, count]) => count.toSQL())
  const { rows } = await db.rawQuery(
    `select array[${parts.map(({ sql }) => `(${sql})::bigint`).join(', ')}] as counts`,
    parts.flatMap(({ bindings }) => bindings as string[])
  )
  const counts = (rows[0].counts as unknown[]).map(Number)
  const badges = pending.map(([href], index): [string, number] => [href, counts[index]])
  return Object.fromEntries(badges.filter(([, count]) => count > 0))
}
