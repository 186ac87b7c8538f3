import type { PageHref, GetRoutePath } from '#core/page_addresses'

/** An icon of the menus; `inertia/layouts/menu_icons.ts` draws it. */
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
  /** What one must be able to; who cannot sees the entry with the reason. */
  needs?: string
  /** The words of what makes one of its things, at the same address with `?add=1`. */
  add?: string
}

/** A line of the menu: an address of its own, or entries that it opens. */
export type MenuGroup = {
  label: string
  icon: MenuIconName
  href?: GetRoutePath
  needs?: string
  add?: string
  entries?: MenuEntry[]
}

/** A tile of the customers' dashboard. */
export interface DashboardCount {
  label: string
  href: GetRoutePath
  count: number
  /** How large they are together; null where that is not measured. */
  bytes: number | null
}

/** What somebody new does first, one after the other. */
export interface OnboardingStep {
  label: string
  hint: string
  /** The verb on its button. */
  action: string
  href: PageHref
  done: boolean
}

/** Some of what an account has, as it is now. */
export interface DashboardSection {
  label: string
  href: GetRoutePath
  rows: DashboardSectionRow[]
}

export interface DashboardSectionRow {
  name: string
  href: PageHref
  status: string
  /** What one wants to know of it at a glance: its address, its load, when it is due. */
  note: string | null
}

/** A thing that was looked for by its name. */
export interface SearchResult {
  /** "Project" */
  kind: string
  name: string
  /** What tells it from others of its name: whose it is, where it is. */
  detail: string | null
  href: PageHref
}

/** What waits for staff. */
export interface AttentionItem {
  title: string
  /** Whose it is, or since when. */
  detail: string | null
  href: PageHref
  tone: 'wait' | 'loss'
}
