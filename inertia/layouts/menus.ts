import type { MenuGroup } from '#core/contracts/menu_and_dashboard'

export function signedOutMenu(href: '/login' | '/admin/login'): MenuGroup[] {
  return [{ label: 'Login', icon: 'login', href }]
}

const homePaths = ['/', '/admin']

function sectionPath(href: string) {
  return href.replace(/\/list$/, '')
}

/** The entries of the two dashboards match only their own URL. */
export function isCurrentEntry(href: string, url: string) {
  const path = url.split(/[?#]/)[0].replace(/(.)\/$/, '$1')
  if (homePaths.includes(href)) return path === href
  return path === sectionPath(href) || path.startsWith(`${sectionPath(href)}/`)
}

/** Returns the `href` of the menu entry for a URL. If several entries match, chooses the one with the longest path. */
export function currentEntryHref(menu: MenuGroup[], url: string): string | null {
  const [closest] = menu
    .flatMap(({ href, entries }) => entries?.map((entry) => entry.href) ?? (href ? [href] : []))
    .filter((href) => isCurrentEntry(href, url))
    .sort((one, other) => sectionPath(other).length - sectionPath(one).length)
  return closest ?? null
}

export function currentGroupLabel(menu: MenuGroup[], url: string) {
  const at = currentEntryHref(menu, url)
  return menu.find(({ entries }) => entries?.some(({ href }) => href === at))?.label ?? null
}
