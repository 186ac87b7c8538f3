import { createAbilityFilter } from '#core/ability_filter'
import { loadMenuBadges } from '#core/menu_badges'
import type { Actor } from '#core/contracts/actor'
import type {
  DashboardCount,
  OnboardingStep,
  AttentionItem,
  DashboardSection,
} from '#core/contracts/menu_and_dashboard'
import { allModules } from '#core/modules'
import { listFiringAlerts } from '#core/monitoring/health'
import type { PageHref } from '#core/page_addresses'
import { listCustomerFailures, listRecentOperationFailures } from '#core/queries/system_page'

const MAX_ROWS_PER_PART = 5

const inOrder = <Part extends { order: number }>(parts: Part[]) =>
  parts.sort((one, other) => one.order - other.order)

/**
 * Returns the counts on the dashboard (docs/product.md, "Lists and pages"). A customer without an account gets 0
 * everywhere.
 */
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

export async function loadOnboardingSteps(actor: Actor): Promise<OnboardingStep[]> {
  const accountId = actor.account?.id
  if (!accountId) return []
  const steps = inOrder(allModules().flatMap((domain) => domain.firstSteps ?? []))
  const parts = await Promise.all(
    steps.filter(createAbilityFilter(actor)).map(async ({ label, hint, action, href, done }) => ({
      label,
      hint,
      action,
      href,
      done: await done(accountId),
    }))
  )
  return parts.every(({ done }) => done) ? [] : parts
}

export async function loadDashboardSections(actor: Actor): Promise<DashboardSection[]> {
  const accountId = actor.account?.id
  if (!accountId) return []
  const parts = inOrder(allModules().flatMap(({ overview }) => overview ?? []))
  const perModule = await Promise.all(
    parts.filter(createAbilityFilter(actor)).map(async ({ label, href, rows }) => ({
      label,
      href,
      rows: await rows(accountId, MAX_ROWS_PER_PART),
    }))
  )
  return perModule.filter(({ rows }) => rows.length > 0)
}

/** Menu counts, alerts and failed operations. Failures of customers' operations come last. */
export async function listAttentionItems(actor: Actor): Promise<AttentionItem[]> {
  const units = allModules().flatMap(({ badgeUnits }) =>
    Object.entries(badgeUnits ?? {}).map(([href, unit]) => ({
      href: href as PageHref,
      said: unit!,
    }))
  )
  const [alerts, failed, customerFailures, counts] = await Promise.all([
    listFiringAlerts(MAX_ROWS_PER_PART),
    listRecentOperationFailures(MAX_ROWS_PER_PART),
    listCustomerFailures(),
    loadMenuBadges(actor),
  ])
  const badgeCounts = units
    .filter(({ href }) => counts[href])
    .map(({ href, said: [one, many] }): AttentionItem => ({
      title: `${counts[href]} ${counts[href] === 1 ? one : many}`,
      detail: null,
      href,
      tone: 'wait',
    }))
  return [...badgeCounts, ...alerts, ...failed, ...customerFailures]
}
