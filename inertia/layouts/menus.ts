import type { MenuGroup } from '#core/contracts/menu_and_dashboard'

/** Signed out, this entry is all there is. */
export function signedOutMenu(href: '/login' | '/admin/login'): MenuGroup[] {
  return [{ label: 'Login', icon: 'login', href }]
}

const homePaths = ['/', '/admin']

/** The section of a route: its path without the last `list`. */
function sectionPath(href: string) {
  return href.replace(/\/list$/, '')
}

/** Whether an address lies at or below a menu entry. The two dashboards own only themselves. */
export function isCurrentEntry(href: string, url: string) {
  const path = url.split(/[?#]/)[0].replace(/(.)\/$/, '$1')
  if (homePaths.includes(href)) return path === href
  return path === sectionPath(href) || path.startsWith(`${sectionPath(href)}/`)
}

/** The entry that an address belongs to: of several the one that says most of it. */
export function currentEntryHref(menu: MenuGroup[], url: string): string | null {
  const [closest] = menu
    .flatMap(({ href, entries }) => entries?.map((entry) => entry.href) ?? (href ? [href] : []))
    .filter((href) => isCurrentEntry(href, url))
    .sort((one, other) => sectionPath(other).length - sectionPath(one).length)
  return closest ?? null
}

/** The label of the group that holds an address, to open it. */
export function currentGroupLabel(menu: MenuGroup[], url: string) {
  const at = currentEntryHref(menu, url)
  return menu.find(({ entries }) => entries?.some(({ href }) => href === at))?.label ?? null
}
