import { AppError } from '#core/app_error'
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
 * Keys of the kinds of audit log subjects. Each module adds its keys: `declare module '#core/modules' { interface
 * AuditSubjects { project: true } }`.
 */
export interface AuditSubjects {}

/** Abilities that only administrators have, not support staff. Modules add their keys as in `AuditSubjects`. */
export interface StaffAbilities {}

/** Abilities that only some roles of an account's members have. Modules add their keys as in `AuditSubjects`. */
export interface MemberAbilities {}

/** Meters of usage-based billing. Modules add their keys as in `AuditSubjects`. */
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

export interface ModuleMenuEntry {
  label: string
  href: GetRoutePath
  group?: string
  icon: MenuIconName
  needs?: Ability
  /** Label of a button that opens the form to add a resource: `href` with `?add=1`. */
  add?: string
  /** Further search terms by which Ctrl+K finds the entry. */
  keywords?: string
  /** Position in the menu, ascending. Leave gaps, so that new entries fit in between. */
  order: number
}

export interface ModuleDashboardTile {
  label: string
  href: GetRoutePath
  order: number
  count(accountId: number): Promise<number>
  /** Bytes that the account's resources occupy. */
  bytes?(accountId: number): Promise<number>
}

export interface ModuleOnboardingStep extends Omit<OnboardingStep, 'done'> {
  order: number
  needs?: Ability
  done(accountId: number): Promise<boolean>
}

/** Lists the account's newest resources on the customer dashboard. */
export interface ModuleDashboardSection extends Omit<DashboardSection, 'rows'> {
  order: number
  needs?: Ability
  rows(accountId: number, limit: number): Promise<DashboardSection['rows']>
}

export interface ModuleSearch {
  /** Noun that search results show, such as `Project`. */
  kind: string
  audience?: Actor['audience']
  needs?: Ability
  of(actor: Actor, text: string, limit: number): Promise<Omit<SearchResult, 'kind'>[]>
}

export interface ServiceTableSizesSource {
  label: string
  /**
   * Returns the sizes of the service's tables, largest first. `null`: the service does not respond. `kept` says how
   * long the service stores the rows.
   */
  sizes(): Promise<
    { name: string; rows: number | null; bytes: number; kept: string | null }[] | null
  >
}

export interface SampleDataContext {
  customers: number[]
  report(line: string): void
}

/** Creates sample data. A second run must not fail or create it twice. All names must show that it is sample data. */
export type CreateSampleData = (sample: SampleDataContext) => Promise<void>

/**
 * A module's contributions to Berth. `app/modules.json` lists the modules by rank. Core calls them in this
 * order, except `close`.
 */
export interface Module {
  name: string
  /** Called only in processes that serve pages. */
  routes?(): Promise<unknown>
  /** Routes that verify a signature of the caller. Callers are not browsers and have no CSRF token. */
  csrfExemptRoutes?: string[]
  /** All kinds of operations of the module. The worker runs no operation whose kind is not listed. */
  operations?: OperationKind<never>[]
  schedules?: Schedule[]
  gauges?: Gauge[]
  /** Alerts should fire before customers notice. */
  alerts?: AlertRule[]
  /** Returns at most two status lines for the page System. */
  health?(): Promise<HealthIndicator[]>
  mails?: MailKind[]
  menu?: { customer?: ModuleMenuEntry[]; admin?: ModuleMenuEntry[] }
  dashboard?: ModuleDashboardTile[]
  firstSteps?: ModuleOnboardingStep[]
  overview?: ModuleDashboardSection[]
  find?: ModuleSearch[]
  tables?: ServiceTableSizesSource
  /** Counts next to menu entries, by the entry's path: `{ '/admin/host-instance/list': 2 }`. */
  badges?(actor: Actor): Record<string, CountQuery>
  /** Units of the `badges` on the staff dashboard: `['host is offline', 'hosts are offline']`. */
  badgeUnits?: Partial<Record<GetRoutePath, readonly [one: string, many: string]>>
  auditSubjects?: Partial<Record<AuditSubjectType, string>>
  /** A sentence for each action of the audit log. `{}` stands for the resource's name. */
  auditMessages?: Record<string, string>
  /** The abilities that support staff lack, with the reason that the disabled button and the 403 response show. */
  staffAbilities?: Partial<Record<StaffAbility, string>>
  /** The roles that have an ability, and the reason that members with other roles see. */
  memberAbilities?: Partial<Record<MemberAbility, MemberAbilityRule>>
  sampleData?(): Promise<{ default: CreateSampleData }>
  bind?(): void
  /** Called when the process stops, highest rank first. */
  close?(): Promise<void>
}

export function defineModule(domain: Module): Module {
  return domain
}

let registeredModules: Module[] = []

const loadErrors: string[] = []

/**
 * Loads a part of a module. In development, a module that throws is left out, so that the others work. An
 * installation does not start then.
 */
export async function loadModulePart<Part>(
  name: string,
  load: () => Promise<Part> | undefined
): Promise<Part | undefined> {
  try {
    return await load()
  } catch (error) {
    if (!process.env.DEV_MODE) throw error
    const { stack } = error as Error
    process.stderr.write(`The module ${name} did not load: ${stack}\n`)
    loadErrors.push(`The module ${name} did not load: ${describeError(error as Error)}`)
    return undefined
  }
}

export function findModuleLoadError(): AppError | undefined {
  if (!process.env.DEV_MODE || loadErrors.length === 0) return undefined
  return new AppError('module_not_loaded', 500, `${loadErrors.join(' ')} Other modules work.`)
}

export function describeError({ name, message, stack = '' }: Error): string {
  const place = /(?:file:\/\/)?(\/(?!.*node_modules)[\w./-]+\.tsx?)[^:\s]*:(\d+)/.exec(stack)
  return `${name}: ${message}${place ? ` (${place[1]}:${place[2]})` : ''}.`
}

/** @param domains all modules, sorted by rank, lowest first */
export function registerModules(domains: Module[]): void {
  registeredModules = domains
  for (const { bind } of domains) bind?.()
}

export async function closeModules(): Promise<void> {
  for (const { close } of registeredModules.toReversed()) await close?.()
}

/** Sorted by rank, lowest first. */
export function allModules(): Module[] {
  return registeredModules
}

export function isCsrfExempt(pattern: string): boolean {
  return registeredModules.some(({ csrfExemptRoutes }) => csrfExemptRoutes?.includes(pattern))
}

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
