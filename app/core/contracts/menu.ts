import type { ReadAddress } from '#core/page_addresses'

/** An icon of the menus; `inertia/layouts/icons.ts` draws it. */
export type IconName =
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
  href: ReadAddress
  /** What one must be able to; who cannot sees the entry with the reason. */
  needs?: string
}

/** A line of the menu: an address of its own, or entries that it opens. */
export type MenuGroup = {
  label: string
  icon: IconName
  href?: ReadAddress
  needs?: string
  entries?: MenuEntry[]
}

/** A tile of the customers' dashboard. */
export interface DashboardCount {
  label: string
  href: ReadAddress
  count: number
  /** How large they are together; null where that is not measured. */
  bytes: number | null
}
