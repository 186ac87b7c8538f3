import type { Area } from '#core/area'
import type { MenuGroup } from '#core/contracts/menu'
import { allDomains, type MenuPlace } from '#core/domains'

/** Where an area's menu has what only running the place needs: last. */
export const administration = { group: 'Administration', icon: 'settings' } as const

/** The menu of an area, made of the entries of all domains. */
export function menuOf(area: Area): MenuGroup[] {
  const places = allDomains().flatMap(({ menu }) => menu?.[area] ?? [])
  const groups: MenuGroup[] = []
  for (const place of places.toSorted((one, other) => one.order - other.order)) put(groups, place)
  return groups
}

function put(groups: MenuGroup[], { label, href, group, icon }: MenuPlace): void {
  if (!group) {
    groups.push({ label, icon, href })
    return
  }
  const open = groups.find(({ label: name, entries }) => name === group && entries)
  if (open) open.entries!.push({ label, href })
  else groups.push({ label: group, icon, entries: [{ label, href }] })
}
