import type { Actor } from '#core/contracts/actor'
import { allDomains } from '#core/domains'

/** All counts above zero for this person's menu (product, "Live support": menu badges). */
export async function badgesFor(actor: Actor): Promise<Record<string, number>> {
  const found = await Promise.all(allDomains().map(({ badges }) => badges?.(actor)))
  const counts: Record<string, number> = Object.assign({}, ...found)
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))
}
