import type { MenuGroup } from '#core/contracts/menu_and_dashboard'
import type { PageHref } from '#core/page_addresses'

/** A result of the command palette (Ctrl+K). */
export interface PaletteEntry {
  /** "Page", "Action", "Project". */
  kind: string
  name: string
  detail: string | null
  href: PageHref
  /** Pressed after `g`. */
  key?: string
}

type Unavailable = Record<string, string>

/** Each page gets a unique key. */
export function pageEntries(menu: MenuGroup[], unavailable: Unavailable = {}): PaletteEntry[] {
  const taken = new Set<string>()
  const open = menuEntries(menu).filter(({ needs }) => !needs || !(needs in unavailable))
  return open.map(({ label, href, group }) => {
    const key = [...label.toLowerCase()].find((one) => /[a-z]/.test(one) && !taken.has(one))
    if (key) taken.add(key)
    return { kind: 'Page', name: label, detail: group, href, key }
  })
}

/** Returns the actions that create something. */
export function actionEntries(menu: MenuGroup[], unavailable: Unavailable = {}): PaletteEntry[] {
  return menuEntries(menu)
    .filter(({ add, needs }) => add && (!needs || !(needs in unavailable)))
    .map(({ add, href }) => ({ kind: 'Action', name: add!, detail: null, href: `${href}?add=1` }))
}

function menuEntries(menu: MenuGroup[]) {
  return menu.flatMap(({ label, href, needs, add, entries }) =>
    entries
      ? entries.map((entry) => ({ ...entry, group: entries.length > 1 ? label : null }))
      : href
        ? [{ label, href, needs, add, group: null }]
        : []
  )
}

/**
 * All words must occur, in any order and case. Entries whose name starts with the first word come
 * first.
 */
export function filterEntries(choices: PaletteEntry[], text: string): PaletteEntry[] {
  const terms = text.toLowerCase().split(/\s+/).filter(Boolean)
  const all = (one: PaletteEntry) => `${one.name} ${one.detail ?? ''} ${one.kind}`.toLowerCase()
  const startsWithTerm = (one: PaletteEntry) =>
    Number(one.name.toLowerCase().startsWith(terms[0] ?? ''))
  return choices
    .filter((one) => terms.every((word) => all(one).includes(word)))
    .toSorted((one, other) => startsWithTerm(other) - startsWithTerm(one))
}
