import type { MenuGroup } from '#core/contracts/menu_and_dashboard'
import type { UserMenuEntry } from '~/layouts/user_menu'
import type { NonGetRoutePath, PageHref } from '#core/page_addresses'

interface EntryTexts {
  /** Type of the entry on screens: "Page", "Action", "Project". */
  kind: string
  name: string
  detail: string | null
  /** Keyboard shortcut: this key, pressed after `g`, opens the page. */
  key?: string
  keywords?: string
}

type PageEntry = EntryTexts & { href: PageHref; method?: 'get' }

/** An entry of the command palette (Ctrl+K). Entries that change something make a POST visit. */
export type PaletteEntry =
  | PageEntry
  | (EntryTexts & { href: NonGetRoutePath; method: 'post'; data?: Record<string, number> })

type Unavailable = Record<string, string>

/** Returns the available pages of a menu. A page has no shortcut key if others have taken all letters of its label. */
export function pageEntries(menu: MenuGroup[], unavailable: Unavailable = {}): PageEntry[] {
  const taken = new Set<string>()
  const open = menuEntries(menu).filter(({ needs }) => !needs || !(needs in unavailable))
  return open.map(({ label, href, group, keywords }) => {
    const key = [...label.toLowerCase()].find((one) => /[a-z]/.test(one) && !taken.has(one))
    if (key) taken.add(key)
    return { kind: 'Page', name: label, detail: group, href, key, keywords }
  })
}

/** Returns the actions that create something. */
export function actionEntries(menu: MenuGroup[], unavailable: Unavailable = {}): PaletteEntry[] {
  return menuEntries(menu)
    .filter(({ add, needs }) => add && (!needs || !(needs in unavailable)))
    .map(({ add, href }) => ({ kind: 'Action', name: add!, detail: null, href: `${href}?add=1` }))
}

/** Keywords of user menu entries, by path without the area's prefix. */
const userMenuKeywords: Record<string, string> = {
  '/profile': 'account password email address devices sessions',
  '/profile/members': 'team people users invite',
  '/logout': 'sign out logout log out',
  '/account/switch': 'switch account',
}

export function userMenuPaletteEntries(entries: UserMenuEntry[]): PaletteEntry[] {
  return entries
    .filter(({ current }) => !current)
    .map(({ label, current: _current, ...target }) => ({
      kind: target.method === 'post' ? 'Action' : 'Page',
      name: label,
      detail: null,
      keywords: userMenuKeywords[target.href.replace(/^\/admin(?=\/)/, '')],
      ...target,
    }))
}

function menuEntries(menu: MenuGroup[]) {
  return menu.flatMap(({ label, href, needs, add, keywords, entries }) =>
    entries
      ? entries.map((entry) => ({ ...entry, group: entries.length > 1 ? label : null }))
      : href
        ? [{ label, href, needs, add, keywords, group: null }]
        : []
  )
}

/**
 * All typed words must occur in an entry, in any order and case. Entries whose name starts with the first word come
 * first.
 */
export function filterEntries(choices: PaletteEntry[], text: string): PaletteEntry[] {
  const terms = text.toLowerCase().split(/\s+/).filter(Boolean)
  const all = ({ name, detail, kind, keywords }: PaletteEntry) =>
    `${name} ${detail ?? ''} ${kind} ${keywords ?? ''}`.toLowerCase()
  const startsWithTerm = (one: PaletteEntry) =>
    Number(one.name.toLowerCase().startsWith(terms[0] ?? ''))
  return choices
    .filter((one) => terms.every((word) => all(one).includes(word)))
    .toSorted((one, other) => startsWithTerm(other) - startsWithTerm(one))
}
