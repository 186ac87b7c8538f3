import type { MenuGroup } from '#core/contracts/menu'

/** Signed out, this entry is all there is. */
export function signedOutMenu(href: '/login' | '/admin/login'): MenuGroup[] {
  return [{ label: 'Login', icon: 'login', href }]
}

const homes = ['/', '/admin']

/** The section of a route: its path without the last `list`. */
function section(href: string) {
  return href.replace(/\/list$/, '')
}

/** Whether an address lies at or below a menu entry. The two dashboards own only themselves. */
export function isCurrent(href: string, url: string) {
  const path = url.split(/[?#]/)[0].replace(/(.)\/$/, '$1')
  if (homes.includes(href)) return path === href
  return path === section(href) || path.startsWith(`${section(href)}/`)
}

/** The entry that an address belongs to: of several the one that says most of it. */
export function currentEntry(menu: MenuGroup[], url: string): string | null {
  const [closest] = menu
    .flatMap(({ href, entries }) => entries?.map((entry) => entry.href) ?? (href ? [href] : []))
    .filter((href) => isCurrent(href, url))
    .sort((one, other) => section(other).length - section(one).length)
  return closest ?? null
}

/** The label of the group that holds an address, to open it. */
export function groupOf(menu: MenuGroup[], url: string) {
  const at = currentEntry(menu, url)
  return menu.find(({ entries }) => entries?.some(({ href }) => href === at))?.label ?? null
}
