import { mayUse } from '#core/has_ability'
import { badgesFor } from '#core/menu_badges'
import type { Actor } from '#core/contracts/actor'
import type { DashboardCount, FirstStep, AttentionItem, OverviewPart } from '#core/contracts/menu'
import { allModules } from '#core/modules'
import { listFiringAlerts } from '#core/monitoring/health'
import type { Address } from '#core/page_addresses'
import { listRecentFailures } from '#core/queries/system'

/** Of each kind so many stand on the dashboard; its list has the rest. */
const MAX_ROWS_PER_PART = 5

const inOrder = <Part extends { order: number }>(parts: Part[]) =>
  parts.sort((one, other) => one.order - other.order)

/** What an account has, for the dashboard (product, "Lists and pages"); nothing for a member of none. */
export function loadDashboardCounts(accountId: number | null): Promise<DashboardCount[]> {
  const tiles = inOrder(allModules().flatMap(({ dashboard }) => dashboard ?? []))
  return Promise.all(
    tiles.map(async ({ label, href, count, bytes }) => ({
      label,
      href,
      count: accountId ? await count(accountId) : 0,
      bytes: accountId && bytes ? await bytes(accountId) : null,
    }))
  )
}

/** What somebody new does first; none once all of it is done, or where it is not for them. */
export async function loadFirstSteps(actor: Actor): Promise<FirstStep[]> {
  const accountId = actor.account?.id
  if (!accountId) return []
  const steps = inOrder(allModules().flatMap((domain) => domain.firstSteps ?? []))
  const told = await Promise.all(
    steps.filter(mayUse(actor)).map(async ({ label, hint, action, href, done }) => ({
      label,
      hint,
      action,
      href,
      done: await done(accountId),
    }))
  )
  return told.every(({ done }) => done) ? [] : told
}

/** How the things of an account are; kinds of which it has nothing are left out. */
export async function loadOverview(actor: Actor): Promise<OverviewPart[]> {
  const accountId = actor.account?.id
  if (!accountId) return []
  const parts = inOrder(allModules().flatMap(({ overview }) => overview ?? []))
  const told = await Promise.all(
    parts.filter(mayUse(actor)).map(async ({ label, href, rows }) => ({
      label,
      href,
      rows: await rows(accountId, MAX_ROWS_PER_PART),
    }))
  )
  return told.filter(({ rows }) => rows.length > 0)
}

/** What waits for staff: alerts, work that failed, and what the menu counts; the worst first. */
export async function listAttentionItems(actor: Actor): Promise<AttentionItem[]> {
  const words = allModules().flatMap(({ badgeWords }) =>
    Object.entries(badgeWords ?? {}).map(([href, said]) => ({ href: href as Address, said: said! }))
  )
  const [alerts, failed, counts] = await Promise.all([
    listFiringAlerts(MAX_ROWS_PER_PART),
    listRecentFailures(MAX_ROWS_PER_PART),
    badgesFor(actor),
  ])
  const counted = words
    .filter(({ href }) => counts[href])
    .map(({ href, said: [one, many] }): AttentionItem => ({
      words: `${counts[href]} ${counts[href] === 1 ? one : many}`,
      detail: null,
      href,
      tone: 'wait',
    }))
  return [...alerts, ...failed, ...counted]
}
