import type { PageHref, GetRoutePath } from '#core/page_addresses'

/** Name of a menu icon. `inertia/layouts/menu_icons.ts` has the drawings. */
export type MenuIconName =
  | 'anchor'
  | 'cloud'
  | 'dashboard'
  | 'database'
  | 'folder'
  | 'login'
  | 'mail'
  | 'messages'
  | 'receipt'
  | 'server'
  | 'settings'
  | 'site'

export type MenuEntry = {
  label: string
  href: GetRoutePath
  /** Ability required for this entry. Without it, the entry is disabled and shows the reason. */
  needs?: string
  /** Label of the button that creates a resource. It opens `href` with `?add=1`. */
  add?: string
}

/** A line of the menu: either a link or a group of entries. */
export type MenuGroup = {
  label: string
  icon: MenuIconName
  href?: GetRoutePath
  needs?: string
  add?: string
  entries?: MenuEntry[]
}

export interface DashboardCount {
  label: string
  href: GetRoutePath
  count: number
  /** Total size in bytes; `null` if not measured. */
  bytes: number | null
}

/** A step of the onboarding list for new customers. */
export interface OnboardingStep {
  label: string
  hint: string
  /** Verb on the button. */
  action: string
  href: PageHref
  done: boolean
}

/** A list of some of the account's resources with their current status. */
export interface DashboardSection {
  label: string
  href: GetRoutePath
  rows: DashboardSectionRow[]
}

export interface DashboardSectionRow {
  name: string
  href: PageHref
  status: string
  /** The most important detail, such as an address, a load or a due date. */
  note: string | null
}

export interface SearchResult {
  /** Type of the resource: "Project". */
  kind: string
  name: string
  /** Distinguishes resources of the same name, for example by owner or location. */
  detail: string | null
  href: PageHref
}

/** An item that staff should act on. */
export interface AttentionItem {
  title: string
  /** Its owner, or since when it exists. */
  detail: string | null
  href: PageHref
  tone: 'wait' | 'loss'
}
