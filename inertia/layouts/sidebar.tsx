import { useState } from 'react'
import { usePage } from '@inertiajs/react'
import { Tooltip } from '@mantine/core'
import IconChevronDown from '@tabler/icons-react/dist/esm/icons/IconChevronDown.mjs'
import { UntypedLink } from '~/components/link'
import type { MenuEntry, MenuGroup } from '#core/contracts/menu_and_dashboard'
import { menuIcons } from '~/layouts/menu_icons'
import { currentEntryHref, currentGroupLabel } from '~/layouts/menus'
import type { SharedProps } from '~/types'
import { visit } from '~/visit'
import styles from './sidebar.module.css'

function Badge({ count }: { count: number | undefined }) {
  if (!count) return null
  return (
    <span className={styles.badge}>
      {count > 99 ? '99+' : count}
      <span className="visually-hidden"> new</span>
    </span>
  )
}

interface SidebarEntryProps {
  entry: MenuEntry
  icon?: MenuGroup['icon']
  /** URL of the menu entry that is current. */
  at: string | null
  badges: Record<string, number>
  /** Reason why this person cannot open the page. */
  reason?: string
  onNavigate?: () => void
}

function SidebarEntry({ entry, icon, at, badges, reason, onNavigate }: SidebarEntryProps) {
  const Icon = icon && menuIcons[icon]
  if (reason) {
    return (
      <Tooltip label={reason} events={{ hover: true, focus: true, touch: true }}>
        <span
          role="link"
          tabIndex={0}
          aria-disabled
          aria-description={reason}
          className={styles.entry}
          data-sub={Icon ? undefined : true}
        >
          {Icon && <Icon size={17} stroke={1.75} aria-hidden />}
          <span className={styles.label}>{entry.label}</span>
        </span>
      </Tooltip>
    )
  }
  return (
    <UntypedLink
      href={entry.href}
      className={styles.entry}
      data-sub={Icon ? undefined : true}
      aria-current={entry.href === at ? 'page' : undefined}
      onClick={onNavigate}
    >
      {Icon && <Icon size={17} stroke={1.75} aria-hidden />}
      <span className={styles.label}>{entry.label}</span>
      <Badge count={badges[entry.href]} />
    </UntypedLink>
  )
}

/** At most one group is expanded, at first the group of the current page. */
export function Sidebar({ menu, onNavigate }: { menu: MenuGroup[]; onNavigate?: () => void }) {
  const page = usePage<SharedProps>()
  const badges = page.props.badges ?? {}
  const unavailable = page.props.unavailable ?? {}
  const reasonOf = ({ needs }: { needs?: string }) => (needs ? unavailable[needs] : undefined)
  const at = currentEntryHref(menu, page.url)
  const currentGroup = currentGroupLabel(menu, page.url)
  const [toggled, choose] = useState<{ at: string | null; open: string | null }>({
    at: currentGroup,
    open: currentGroup,
  })
  const open = toggled.at === currentGroup ? toggled.open : currentGroup

  return (
    <ul className={styles.menu}>
      {menu.map((group) => {
        const { label, icon, href, entries } = group
        if (href || !entries) {
          return (
            <li key={label}>
              <SidebarEntry
                entry={{ label, href: href ?? '/' }}
                icon={icon}
                reason={reasonOf(group)}
                badges={badges}
                onNavigate={onNavigate}
                at={at}
              />
            </li>
          )
        }
        const Icon = menuIcons[icon]
        const expanded = open === label
        const hidden = entries.reduce((sum, entry) => sum + (badges[entry.href] ?? 0), 0)
        return (
          <li key={label}>
            <button
              type="button"
              className={styles.entry}
              aria-expanded={expanded}
              data-here={currentGroup === label || undefined}
              onClick={() => {
                choose({ at: currentGroup, open: expanded ? null : label })
                if (expanded || entries.length > 1 || reasonOf(entries[0])) return
                visit(entries[0].href)
                onNavigate?.()
              }}
            >
              <Icon size={17} stroke={1.75} aria-hidden />
              <span className={styles.label}>{label}</span>
              {!expanded && <Badge count={hidden} />}
              <IconChevronDown size={15} stroke={1.75} className={styles.chevron} aria-hidden />
            </button>
            {expanded && (
              <ul className={styles.sub}>
                {entries.map((entry) => (
                  <li key={entry.href}>
                    <SidebarEntry
                      entry={entry}
                      reason={reasonOf(entry)}
                      at={at}
                      badges={badges}
                      onNavigate={onNavigate}
                    />
                  </li>
                ))}
              </ul>
            )}
          </li>
        )
      })}
    </ul>
  )
}
