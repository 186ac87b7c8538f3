import type { DashboardCount } from '#core/contracts/menu'
import { allDomains } from '#core/domains'

/** What a customer has, for the dashboard (product, "Lists and pages"). */
export function dashboardCounts(customerId: number): Promise<DashboardCount[]> {
  const tiles = allDomains()
    .flatMap(({ dashboard }) => dashboard ?? [])
    .sort((one, other) => one.order - other.order)
  return Promise.all(
    tiles.map(async ({ label, href, count }) => ({ label, href, count: await count(customerId) }))
  )
}
