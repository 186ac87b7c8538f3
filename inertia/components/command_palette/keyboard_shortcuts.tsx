import { lazy, Suspense, useEffect, useEffectEvent, useRef, useState } from 'react'
import { usePage } from '@inertiajs/react'
import IconSearch from '@tabler/icons-react/dist/esm/icons/IconSearch.mjs'
import type { SharedProps } from '~/types'
import type { UserMenuEntry } from '~/layouts/user_menu'
import { visit } from '~/visit'
import { pageEntries } from './palette_entries'
import styles from './command_palette.module.css'

const CommandPalette = lazy(() => import('./command_palette'))
const ShortcutsDialog = lazy(() => import('./shortcuts_dialog'))

const SECOND_KEY_TIMEOUT_MS = 1_500

function isTextTarget(target: EventTarget | null) {
  return (
    target instanceof Element &&
    target.closest('input, textarea, select, [contenteditable="true"], .xterm, .cm-editor') !== null
  )
}

const isDialogOpen = () => document.querySelector('[role="dialog"], [role="alertdialog"]') !== null

/** Shows the button Find, and handles Ctrl+K, `/`, `?`, and `g` followed by the letter of a page. */
export function KeyboardShortcuts({ userMenu }: { userMenu: UserMenuEntry[] }) {
  const { menu, unavailable, area } = usePage<SharedProps>().props
  const [shown, show] = useState<'palette' | 'keys' | null>(null)
  const after = useRef<number | null>(null)

  const press = useEffectEvent((event: KeyboardEvent) => {
    if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'k') {
      if (isDialogOpen() && shown !== 'palette') return
      event.preventDefault()
      return show(shown === 'palette' ? null : 'palette')
    }
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey
    if (!plain || event.defaultPrevented || isTextTarget(event.target) || isDialogOpen()) return
    const follows =
      after.current !== null && event.timeStamp - after.current < SECOND_KEY_TIMEOUT_MS
    after.current = null
    if (follows) {
      const page = pageEntries(menu, unavailable).find(({ key }) => key === event.key.toLowerCase())
      if (!page) return
      event.preventDefault()
      event.stopPropagation()
      return visit(page.href)
    }
    if (event.key === 'g') after.current = event.timeStamp
    else if (event.key === '?') show('keys')
    else if (event.key === '/') {
      event.preventDefault()
      const search = document.querySelector<HTMLInputElement>('main input[inputmode="search"]')
      if (search) search.focus()
      else show('palette')
    }
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press(event)
    document.addEventListener('keydown', listen, true)
    return () => document.removeEventListener('keydown', listen, true)
  }, [])

  return (
    <>
      <button
        type="button"
        className={styles.button}
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K"
        onClick={() => show('palette')}
      >
        <IconSearch size={17} stroke={1.75} aria-hidden />
        <span className={styles.word}>Find</span>
        <kbd aria-hidden>Ctrl K</kbd>
      </button>
      <Suspense fallback={null}>
        {shown === 'palette' && (
          <CommandPalette
            area={area}
            userMenu={userMenu}
            onKeys={() => show('keys')}
            onClose={() => show((now) => (now === 'palette' ? null : now))}
          />
        )}
        {shown === 'keys' && <ShortcutsDialog onClose={() => show(null)} />}
      </Suspense>
    </>
  )
}
