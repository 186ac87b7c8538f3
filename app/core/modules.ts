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
 * Keys of audit log subjects. A module adds its own in its `module.ts`:
 * `declare module '#core/modules' { interface AuditSubjects { project: true } }`.
 */
export interface AuditSubjects {}

/**
 * Abilities that only administrators among the staff have. Modules add keys in the same way as to
 * `AuditSubjects`.
 */
export interface StaffAbilities {}

/**
 * Abilities that only some roles of an account's members have. Modules add keys in the same way as to
 * `AuditSubjects`.
 */
export interface MemberAbilities {}

/** Meters of usage-based billing. Modules add keys in the same way as to `AuditSubjects`. */
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
  /**
   * Label of the menu group that contains this entry. The group takes the icon and position of its first
   * entry.
   */
  group?: string
  icon: MenuIconName
  /** Ability required for this entry. Without it, the entry is disabled and shows the reason. */
  needs?: Ability
  /** Label of the button that creates a resource. It opens `href` with `?add=1`. */
  add?: string
  /** Position, ascending. Use steps of ten so that new entries fit in between. */
  order: number
}

export interface ModuleDashboardTile {
  label: string
  href: GetRoutePath
  order: number
  /** Number of this module's resources in the account, without deleted ones. */
  count(accountId: number): Promise<number>
  /** Total size in bytes of this module's resources in the account. Omit it for resources without a size. */
  bytes?(accountId: number): Promise<number>
}

/** A step of the onboarding list for new customers. `done` returns whether the account completed it. */
export interface ModuleOnboardingStep extends Omit<OnboardingStep, 'done'> {
  order: number
  needs?: Ability
  done(accountId: number): Promise<boolean>
}

/** A section of the customer dashboard that lists the account's newest resources of this module. */
export interface ModuleDashboardSection extends Omit<DashboardSection, 'rows'> {
  order: number
  needs?: Ability
  rows(accountId: number, limit: number): Promise<DashboardSection['rows']>
}

/** A module's source of results for the global search (Ctrl+K). */
export interface ModuleSearch {
  /** Label of the result type, for example "Project". */
  kind: string
  audience?: Actor['audience']
  needs?: Ability
  /** Returns at most `limit` matches that this person may see. */
  of(actor: Actor, text: string, limit: number): Promise<Omit<SearchResult, 'kind'>[]>
}

/** Table sizes of a service that has its own database, for the page System. */
export interface ServiceTableSizesSource {
  label: string
  /** Tables by size, largest first; `null` if the service does not answer. `kept` is the retention period. */
  sizes(): Promise<
    { name: string; rows: number | null; bytes: number; kept: string | null }[] | null
  >
}

/** Input for a module's sample data. */
export interface SampleDataContext {
  customers: number[]
  /** Prints a line about created data to the terminal. */
  report(line: string): void
}

/**
 * Creates a module's sample data. It must be safe to run again, and must label what it creates as sample
 * data.
 */
export type CreateSampleData = (sample: SampleDataContext) => Promise<void>

/**
 * Everything that a module contributes to Berth. All parts are optional except the name. `app/modules.json`
 * lists the modules by rank, and core calls them in that order.
 */
export interface Module {
  /** The module's folder below `app/`. */
  name: string
  /** Registers the routes. Called only in processes that serve pages. */
  routes?(): Promise<unknown>
  /**
   * Patterns of routes that need no CSRF token, because callers are not browsers. A signature authenticates
   * them instead of a session.
   */
  csrfExemptRoutes?: string[]
  /** Kinds of long work. The worker rejects kinds that no module lists. */
  operations?: OperationKind<never>[]
  schedules?: Schedule[]
  gauges?: Gauge[]
  /** Alerts for staff, meant to fire before customers notice a problem. */
  alerts?: AlertRule[]
  /** Health details for the page System, one or two lines. */
  health?(): Promise<HealthIndicator[]>
  /** Emails that the module sends. Staff can see all of them and edit their texts. */
  mails?: MailKind[]
  menu?: { customer?: ModuleMenuEntry[]; admin?: ModuleMenuEntry[] }
  dashboard?: ModuleDashboardTile[]
  firstSteps?: ModuleOnboardingStep[]
  overview?: ModuleDashboardSection[]
  find?: ModuleSearch[]
  tables?: ServiceTableSizesSource
  /** Counts beside menu entries, keyed by the entry's path: `{ '/admin/host-instance/list': 2 }`. */
  badges?(actor: Actor): Record<string, CountQuery>
  /**
   * Units of the `badges` counts on the staff dashboard, singular and plural: `['host is offline', 'hosts
   * are offline']`.
   */
  badgeUnits?: Partial<Record<GetRoutePath, readonly [one: string, many: string]>>
  /** Labels of the audit subjects in the filters of the audit log. */
  auditSubjects?: Partial<Record<AuditSubjectType, string>>
  /** Audit log messages by action, one sentence each. `{}` stands for the name of the resource. */
  auditMessages?: Record<string, string>
  /** Reasons why support staff lack an ability. The disabled button and the 403 response show them. */
  staffAbilities?: Partial<Record<StaffAbility, string>>
  /** Roles that have an ability, and the reason that other members see. */
  memberAbilities?: Partial<Record<MemberAbility, MemberAbilityRule>>
  /** Sample data for `./berth up --demo`. */
  sampleData?(): Promise<{ default: CreateSampleData }>
  /** Binds the interfaces that lower modules declare, and subscribes to their events. */
  bind?(): void
  /** Closes open resources when the process stops. Modules of higher rank have closed before. */
  close?(): Promise<void>
}

/** Declares a module. Each `module.ts` exports the result. */
export function defineModule(domain: Module): Module {
  return domain
}

let registeredModules: Module[] = []

/** Errors of the modules that did not load, in development. */
const loadErrors: string[] = []

/**
 * Loads a part of a module. In development the module is left out if it throws, so that the others work.
 * Processes of an installation do not start without a module.
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

/** Returns the error of pages that are missing because a module did not load, or undefined. */
export function findModuleLoadError(): AppError | undefined {
  if (!process.env.DEV_MODE || loadErrors.length === 0) return undefined
  return new AppError('module_not_loaded', 500, `${loadErrors.join(' ')} Other modules work.`)
}

/** Returns the message of an error, and the file of ours that it comes from. */
export function describeError({ name, message, stack = '' }: Error): string {
  const place = /(?:file:\/\/)?(\/(?!.*node_modules)[\w./-]+\.tsx?)[^:\s]*:(\d+)/.exec(stack)
  return `${name}: ${message}${place ? ` (${place[1]}:${place[2]})` : ''}.`
}

/** Registers the modules, lowest rank first, and lets each bind its implementations. */
export function registerModules(domains: Module[]): void {
  registeredModules = domains
  for (const { bind } of domains) bind?.()
}

/** Closes the modules, highest rank first. */
export async function closeModules(): Promise<void> {
  for (const { close } of registeredModules.toReversed()) await close?.()
}

/** Returns all modules, lowest rank first. */
export function allModules(): Module[] {
  return registeredModules
}

export function isCsrfExempt(pattern: string): boolean {
  return registeredModules.some(({ csrfExemptRoutes }) => csrfExemptRoutes?.includes(pattern))
}

/** Merges one property of all modules into one object. */
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
