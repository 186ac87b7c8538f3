import type { SiteArea } from '#core/request_kind'
import type { MenuGroup } from '#core/contracts/menu_and_dashboard'
import { allModules, type ModuleMenuEntry } from '#core/modules'

export const administrationGroup = { group: 'Administration', icon: 'settings' } as const

export function menuFor(area: SiteArea): MenuGroup[] {
  const items = allModules().flatMap(({ menu }) => menu?.[area] ?? [])
  const groups: MenuGroup[] = []
  for (const item of items.toSorted((one, other) => one.order - other.order))
    addMenuEntry(groups, item)
  return groups
}

function addMenuEntry(
  groups: MenuGroup[],
  { group, icon, label, href, needs, add, keywords }: ModuleMenuEntry
): void {
  const entry = {
    label,
    href,
    ...(needs && { needs }),
    ...(add && { add }),
    ...(keywords && { keywords }),
  }
  const open = group && groups.find(({ label: name, entries }) => name === group && entries)
  if (open) open.entries!.push(entry)
  else groups.push(group ? { label: group, icon, entries: [entry] } : { ...entry, icon })
}
