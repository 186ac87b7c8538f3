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
 * Keys of audit log subjects. Each module declares its own: `declare module '#core/modules' { interface
 * AuditSubjects { project: true } }`.
 */
export interface AuditSubjects {}

/** Abilities that support staff may lack. Declared as `AuditSubjects`. */
export interface StaffAbilities {}

/** Abilities that only some roles of an account's members have. Declared as `AuditSubjects`. */
export interface MemberAbilities {}

/** Meters of usage-based billing. Declared as `AuditSubjects`. */
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
  /** Label of a button that opens `href` with `?add=1`. */
  add?: string
  /** Other search terms for Ctrl+K. */
  keywords?: string
  /** Ascending, in steps of ten so that new entries fit in between. */
  order: number
}

export interface ModuleDashboardTile {
  label: string
  href: GetRoutePath
  order: number
  count(accountId: number): Promise<number>
  /** Returns the total size of the account's resources. */
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
  /** For example "Project". */
  kind: string
  audience?: Actor['audience']
  needs?: Ability
  of(actor: Actor, text: string, limit: number): Promise<Omit<SearchResult, 'kind'>[]>
}

export interface ServiceTableSizesSource {
  label: string
  /**
   * Returns the sizes of the service's tables, largest first. Null: the service does not answer. `kept` is
   * the retention period.
   */
  sizes(): Promise<
    { name: string; rows: number | null; bytes: number; kept: string | null }[] | null
  >
}

export interface SampleDataContext {
  customers: number[]
  report(line: string): void
}

/** Must be safe to run again, and must label what it creates as sample data. */
export type CreateSampleData = (sample: SampleDataContext) => Promise<void>

/**
 * A module's contributions to Berth. `app/modules.json` lists the modules by rank. Core calls them in this
 * order.
 */
export interface Module {
  name: string
  /** Called only in processes that serve pages. */
  routes?(): Promise<unknown>
  /** Routes that a signature authenticates. Their callers are not browsers and have no CSRF token. */
  csrfExemptRoutes?: string[]
  /** Operation kinds. The worker rejects all others. */
  operations?: OperationKind<never>[]
  schedules?: Schedule[]
  gauges?: Gauge[]
  /** Alerts for staff. They should fire before customers notice. */
  alerts?: AlertRule[]
  /** Returns one or two lines for the page System. */
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
  /** A sentence for each action. `{}` is the resource's name. */
  auditMessages?: Record<string, string>
  /** Why support staff lack an ability. The disabled button and the 403 response show it. */
  staffAbilities?: Partial<Record<StaffAbility, string>>
  /** Roles that have an ability, and the reason that others see. */
  memberAbilities?: Partial<Record<MemberAbility, MemberAbilityRule>>
  sampleData?(): Promise<{ default: CreateSampleData }>
  bind?(): void
  /** Called when the process stops. Modules of higher rank close first. */
  close?(): Promise<void>
}

export function defineModule(domain: Module): Module {
  return domain
}

let registeredModules: Module[] = []

const loadErrors: string[] = []

/**
 * Loads a part of a module. Development leaves out a module that throws, so that the others work. An
 * installation does not start without it.
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

/** @param domains sorted by rank, lowest first */
export function registerModules(domains: Module[]): void {
  registeredModules = domains
  for (const { bind } of domains) bind?.()
}

export async function closeModules(): Promise<void> {
  for (const { close } of registeredModules.toReversed()) await close?.()
}

/** Returns modules by rank, lowest first. */
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
