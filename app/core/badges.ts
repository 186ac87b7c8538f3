import type { Actor } from '#core/contracts/actor'

/** Counts for the menu by the entry's route, e.g. `{ '/admin/billing/list': 3 }`. */
export type BadgeSource = (actor: Actor) => Promise<Record<string, number>>

const sources: BadgeSource[] = []

/** Domains add their counts here (product, "Live support": menu badges). */
export function addBadges(source: BadgeSource): void {
  sources.push(source)
}

/** All counts above zero for this person's menu. */
export async function badgesFor(actor: Actor): Promise<Record<string, number>> {
  const counts = Object.assign({}, ...(await Promise.all(sources.map((source) => source(actor)))))
  return Object.fromEntries(Object.entries<number>(counts).filter(([, count]) => count > 0))
}
