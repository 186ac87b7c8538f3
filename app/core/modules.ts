import type { CountQuery } from '#core/menu_badges'
import type { Actor, MemberRole } from '#core/contracts/actor'
import type {
  OnboardingStep,
  SearchResult,
  MenuIconName,
  DashboardSection,
} from '#core/contracts/menu_and_dashboard'
import type { MailKind } from '#core/mail/mail_kinds'
import type { AlertRule } from '#core/monitoring/alerts'
import type { Gauge } from '#core/monitoring/gauges'
import type { HealthIndicator } from '#core/monitoring/health'
import type { OperationKind } from '#core/operations/operations'
import type { GetRoutePath } from '#core/page_addresses'
import type { Schedule } from '#core/schedules/schedules'

/**
 * Types of audit log subjects by key. A module declares its own beside `defineModule`:
 * `declare module '#core/modules' { interface AuditSubjects { project: true } }`.
 */
export interface AuditSubjects {}

/** What only administrators of the staff may do, by its key; named as `AuditSubjects` are. */
export interface StaffAbilities {}

/** What not every member of an account may do. */
export interface MemberAbilities {}

/** What is counted of things that are paid by use; named as `AuditSubjects` are. */
export interface Meters {}

export type AuditSubjectType = keyof AuditSubjects
export type StaffAbility = keyof StaffAbilities
export type MemberAbility = keyof MemberAbilities
export type MeterKey = keyof Meters
export type Ability = StaffAbility | MemberAbility

export interface MemberAbilityRule {
  roles: readonly MemberRole[]
  reason: string
}

/** An entry of an area's menu. */
export interface ModuleMenuEntry {
  label: string
  href: GetRoutePath
  /** The group that it stands in, which has the icon and the place of its first entry. */
  group?: string
  icon: MenuIconName
  /** What one must be able to; who cannot sees the entry with the reason. */
  needs?: Ability
  /** The words of what makes one of its things, at the same address with `?add=1`. */
  add?: string
  /** Smaller is higher. Neighbours are ten apart, so that others fit between. */
  order: number
}

/** A tile of the customers' dashboard. */
export interface ModuleDashboardTile {
  label: string
  href: GetRoutePath
  order: number
  /** How many of the domain's things an account has; deleted ones do not count. */
  count(accountId: number): Promise<number>
  /** Bytes of them all, where they have a size. */
  bytes?(accountId: number): Promise<number>
}

/** What somebody new does first; `done`: whether their account has. */
export interface ModuleOnboardingStep extends Omit<OnboardingStep, 'done'> {
  order: number
  needs?: Ability
  done(accountId: number): Promise<boolean>
}

/** A part of the customers' dashboard: the newest of the domain's things, as they are. */
export interface ModuleDashboardSection extends Omit<DashboardSection, 'rows'> {
  order: number
  needs?: Ability
  /** At most so many. */
  rows(accountId: number, limit: number): Promise<DashboardSection['rows']>
}

/** Finds a domain's things by words, for Ctrl+K. */
export interface ModuleSearch {
  /** What each of them is: "Project". */
  kind: string
  audience?: Actor['audience']
  needs?: Ability
  /** At most so many that this person may see. */
  of(actor: Actor, text: string, limit: number): Promise<Omit<SearchResult, 'kind'>[]>
}

/** What a domain's own service keeps in its tables. */
export interface ServiceTableSizesSource {
  label: string
  /** The largest first; null where the service does not answer. `kept` says for how long rows stay. */
  sizes(): Promise<
    { name: string; rows: number | null; bytes: number; kept: string | null }[] | null
  >
}

/** What sample data of one domain needs of those below it. */
export interface SampleDataContext {
  /** Ids of the sample customers, oldest first. */
  customers: number[]
  /** What was made, in words, for the terminal. */
  report(line: string): void
}

/** Must be able to run again, and marks what it makes as sample data where people see it. */
export type CreateSampleData = (sample: SampleDataContext) => Promise<void>

/**
 * All that a domain is to the rest of the house. Only what is there is named; `app/modules.ts` lists
 * the domains by rank, and everything below follows that order.
 */
export interface Module {
  /** The noun: its folder below `app/`. */
  name: string
  /** Its addresses; loaded where pages are served. */
  routes?(): Promise<unknown>
  /**
   * Patterns of its routes that need no CSRF token: no browser calls them, and a signature authenticates the
   * caller instead of a session.
   */
  csrfExemptRoutes?: string[]
  /** Long work. A kind that is in no list is unknown to the worker. */
  operations?: OperationKind<never>[]
  /** What is done again and again. */
  schedules?: Schedule[]
  /** What it measures of its things, for Prometheus. */
  gauges?: Gauge[]
  /** What people are told of before customers notice. */
  alerts?: AlertRule[]
  /** How its things are, in a line or two on the page System. */
  health?(): Promise<HealthIndicator[]>
  /** What it writes to people; staff see all of them and can change their words. */
  mails?: MailKind[]
  menu?: { customer?: ModuleMenuEntry[]; admin?: ModuleMenuEntry[] }
  dashboard?: ModuleDashboardTile[]
  firstSteps?: ModuleOnboardingStep[]
  overview?: ModuleDashboardSection[]
  find?: ModuleSearch[]
  /** Staff see them under System. */
  tables?: ServiceTableSizesSource
  /** Counts beside menu entries, by the entry's address: `{ '/admin/host-instance/list': 2 }`. */
  badges?(actor: Actor): Record<string, CountQuery>
  /** What such a count says on the dashboard of staff, of one and of many: `['host is offline', 'hosts are offline']`. */
  badgeUnits?: Partial<Record<GetRoutePath, readonly [one: string, many: string]>>
  /** What the log's filters call them. */
  auditSubjects?: Partial<Record<AuditSubjectType, string>>
  /** Audit log messages by action, one sentence each. `{}` stands for the name of the resource. */
  auditMessages?: Record<string, string>
  /** What support may not do, with the reason that the disabled button and the refused call give. */
  staffAbilities?: Partial<Record<StaffAbility, string>>
  /** What members of an account may do by their role, with the reason for the others. */
  memberAbilities?: Partial<Record<MemberAbility, MemberAbilityRule>>
  /** Its part of `./berth up --demo`. */
  sampleData?(): Promise<{ default: CreateSampleData }>
  /** Binds what domains below ask for, and hears of what happens there. */
  bind?(): void
  /** Ends what it keeps open, when the process stops; those above have ended. */
  close?(): Promise<void>
}

/** A domain says here, in its `domain.ts`, what it has. */
export function defineModule(domain: Module): Module {
  return domain
}

let registeredModules: Module[] = []

/** Makes the domains known to core, lowest rank first, and lets each bind what it has. */
export function registerModules(domains: Module[]): void {
  registeredModules = domains
  for (const { bind } of domains) bind?.()
}

/** Ends what they keep open, highest rank first. */
export async function closeModules(): Promise<void> {
  for (const { close } of registeredModules.toReversed()) await close?.()
}

/** All of them, by rank. */
export function allModules(): Module[] {
  return registeredModules
}

/** Whether a module exempts the route of this pattern from the CSRF token. */
export function isCsrfExempt(pattern: string): boolean {
  return registeredModules.some(({ csrfExemptRoutes }) => csrfExemptRoutes?.includes(pattern))
}

/** What all of them have of one kind, by its key. */
export function collectFromModules(
  kind: 'auditSubjects' | 'auditMessages' | 'staffAbilities'
): Record<string, string>
export function collectFromModules(
  kind: 'memberAbilities'
): Partial<Record<string, MemberAbilityRule>>
export function collectFromModules(
  kind: 'auditSubjects' | 'auditMessages' | 'staffAbilities' | 'memberAbilities'
) {
  return Object.assign({}, ...registeredModules.map((domain) => domain[kind]))
}
