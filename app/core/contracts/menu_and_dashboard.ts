import type { PageHref, GetRoutePath } from '#core/page_addresses'

/** Names of the icons that `inertia/layouts/menu_icons.ts` draws. */
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
  /** The ability that a person needs. Without it, the entry is disabled and shows the reason. */
  needs?: string
  /** Label of a button that opens the form to add a resource: `href` with `?add=1`. */
  add?: string
  /** Further search terms by which Ctrl+K finds the entry. */
  keywords?: string
}

export type MenuGroup = {
  label: string
  icon: MenuIconName
  href?: GetRoutePath
  needs?: string
  add?: string
  keywords?: string
  entries?: MenuEntry[]
}

export interface DashboardCount {
  label: string
  href: GetRoutePath
  count: number
  /** `null`: not measured. */
  bytes: number | null
}

export interface OnboardingStep {
  label: string
  hint: string
  action: string
  href: PageHref
  done: boolean
}

export interface DashboardSection {
  label: string
  href: GetRoutePath
  rows: DashboardSectionRow[]
}

export interface DashboardSectionRow {
  name: string
  href: PageHref
  status: string
  /** The most important detail, such as an address, the load or a due date. */
  note: string | null
}

export interface SearchResult {
  kind: string
  name: string
  /** Distinguishes resources with the same name: for example, the owner's name. */
  detail: string | null
  href: PageHref
}

export interface AttentionItem {
  title: string
  detail: string | null
  href: PageHref
  tone: 'wait' | 'loss'
}
