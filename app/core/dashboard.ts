import type { DashboardCount } from '#core/contracts/menu'
import { allDomains } from '#core/domains'

/** What an account has, for the dashboard (product, "Lists and pages"); nothing for a member of none. */
export function dashboardCounts(accountId: number | null): Promise<DashboardCount[]> {
  const tiles = allDomains()
    .flatMap(({ dashboard }) => dashboard ?? [])
    .sort((one, other) => one.order - other.order)
  return Promise.all(
    tiles.map(async ({ label, href, count, bytes }) => ({
      ...{ label, href },
      count: accountId ? await count(accountId) : 0,
      bytes: accountId && bytes ? await bytes(accountId) : null,
    }))
  )
}
