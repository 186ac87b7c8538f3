import { useEffect, useId, useRef, useState, type FocusEvent, type KeyboardEvent } from 'react'
import { router } from '@inertiajs/react'
import IconChevronDown from '@tabler/icons-react/dist/esm/icons/IconChevronDown.mjs'
import type { PageHref, NonGetRoutePath } from '#core/page_addresses'
import { Link } from '~/components/link'
import type { SignedInUser } from '~/types'
import styles from './user_menu.module.css'

/** Entries that change something make a POST visit. */
export type UserMenuEntry = {
  label: string
  data?: Record<string, number>
  /** Whether this entry is the selected one of several choices. */
  current?: boolean
} & ({ href: PageHref; method?: 'get' } | { href: NonGetRoutePath; method: 'post' })

function initials(name: string) {
  const nameParts = name.trim().split(/\s+/u).filter(Boolean)
  const letters = nameParts.length > 1 ? [nameParts[0], nameParts[nameParts.length - 1]] : nameParts
  return letters.map((word) => Array.from(word)[0]?.toUpperCase() ?? '').join('')
}

export function UserMenu({ user, entries }: { user: SignedInUser; entries: UserMenuEntry[] }) {
  const [open, setOpen] = useState(false)
  const root = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const id = useId()

  useEffect(() => {
    if (!open) return
    const close = (event: PointerEvent) => {
      if (!root.current?.contains(event.target as Node)) setOpen(false)
    }
    document.addEventListener('pointerdown', close)
    root.current?.querySelector<HTMLElement>('[role="menuitem"]')?.focus()
    return () => document.removeEventListener('pointerdown', close)
  }, [open])

  useEffect(() => router.on('navigate', () => setOpen(false)), [])

  const onKeyDown = (event: KeyboardEvent) => {
    if (!open) return
    const items = [...(root.current?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? [])]
    const at = items.indexOf(document.activeElement as HTMLElement)
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.key === 'Escape') {
      setOpen(false)
      button.current?.focus()
    } else if (step) {
      event.preventDefault()
      items[(at + step + items.length) % items.length]?.focus()
    }
  }

  const onBlur = (event: FocusEvent) => {
    if (event.relatedTarget && !root.current?.contains(event.relatedTarget as Node)) setOpen(false)
  }

  return (
    <div ref={root} className={styles.root} onKeyDown={onKeyDown} onBlur={onBlur}>
      <button
        ref={button}
        type="button"
        className={styles.button}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        <span className={styles.face} aria-hidden>
          {initials(user.name)}
        </span>
        <span className={styles.name}>{user.name}</span>
        <IconChevronDown size={15} stroke={1.75} aria-hidden />
      </button>
      {open && (
        <div className={styles.menu}>
          <div className={styles.who}>
            <strong>{user.name}</strong>
            <span>{user.email}</span>
            {user.account && user.accounts && user.accounts.length > 1 && (
              <span>Account: {user.account.name}</span>
            )}
          </div>
          <ul role="menu" id={id} aria-label="Account" className={styles.items}>
            {entries.map(({ label, data, current, ...to }) => (
              <li key={label} role="none">
                <Link
                  {...to}
                  data={data}
                  aria-current={current || undefined}
                  as={to.method === 'post' ? 'button' : 'a'}
                  role="menuitem"
                  className={styles.item}
                >
                  {label}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  )
}
