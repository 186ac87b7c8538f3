/** The four counts of the customer dashboard (product, "Lists and pages"). */
export type DashboardCount = 'servers' | 'projects' | 'emails' | 'vaults'

const sources = new Map<DashboardCount, (accountId: number) => Promise<number>>()

/** A domain says how many of its things a customer has; deleted ones do not count. */
export function countOnDashboard(
  count: DashboardCount,
  source: (accountId: number) => Promise<number>
): void {
  sources.set(count, source)
}

/** All four; zero where no domain counts, and for a member of no account. */
export async function dashboardCounts(
  accountId: number | null
): Promise<Record<DashboardCount, number>> {
  const of = (count: DashboardCount) => (accountId && sources.get(count)?.(accountId)) || 0
  const [servers, projects, emails, vaults] = await Promise.all([
    of('servers'),
    of('projects'),
    of('emails'),
    of('vaults'),
  ])
  return { servers, projects, emails, vaults }
}
