import type { MenuGroup } from '#core/contracts/menu'
import type { Address } from '#core/page_addresses'

/** Something that Ctrl+K leads to. */
export interface Choice {
  /** what it is: "Page", "Action", "Project" */
  kind: string
  name: string
  detail: string | null
  href: Address
  /** after `g`, the key that leads there */
  key?: string
}

type Unavailable = Record<string, string>

/** The pages of a menu that this person may open, each with a key that no other one has. */
export function pagesOf(menu: MenuGroup[], unavailable: Unavailable = {}): Choice[] {
  const taken = new Set<string>()
  const open = entriesOf(menu).filter(({ needs }) => !needs || !(needs in unavailable))
  return open.map(({ label, href, group }) => {
    const key = [...label.toLowerCase()].find((one) => /[a-z]/.test(one) && !taken.has(one))
    if (key) taken.add(key)
    return { kind: 'Page', name: label, detail: group, href, key }
  })
}

/** What makes something new. */
export function actionsOf(menu: MenuGroup[], unavailable: Unavailable = {}): Choice[] {
  return entriesOf(menu)
    .filter(({ add, needs }) => add && (!needs || !(needs in unavailable)))
    .map(({ add, href }) => ({ kind: 'Action', name: add!, detail: null, href: `${href}?add=1` }))
}

function entriesOf(menu: MenuGroup[]) {
  return menu.flatMap(({ label, href, needs, add, entries }) =>
    entries
      ? entries.map((entry) => ({ ...entry, group: entries.length > 1 ? label : null }))
      : href
        ? [{ label, href, needs, add, group: null }]
        : []
  )
}

/** Those that have all the words, in any order and case; those whose name begins with them first. */
export function matching(choices: Choice[], text: string): Choice[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const all = (one: Choice) => `${one.name} ${one.detail ?? ''} ${one.kind}`.toLowerCase()
  const begins = (one: Choice) => Number(one.name.toLowerCase().startsWith(words[0] ?? ''))
  return choices
    .filter((one) => words.every((word) => all(one).includes(word)))
    .toSorted((one, other) => begins(other) - begins(one))
}
