import { lazy, Suspense, useEffect, useRef, useState, type ReactNode } from 'react'
import { usePage } from '@inertiajs/react'
import IconMenu2 from '@tabler/icons-react/dist/esm/icons/IconMenu2.mjs'
import { Link } from '~/components/link'
import { ColorSchemeButton } from '~/components/color_scheme_button'
import { PageErrorBoundary } from '~/components/page_error_boundary'
import { KeyboardShortcuts } from '~/components/command_palette/keyboard_shortcuts'
import { OperationTray } from '~/components/operation_tray'
import { SignedOutDialog } from '~/components/signed_out_dialog'
import { RegionProvider } from '~/layouts/region_provider'
import { Sidebar } from '~/layouts/sidebar'
import { UserMenu, type UserMenuEntry } from '~/layouts/user_menu'
import type { MenuGroup } from '#core/contracts/menu_and_dashboard'
import type { SharedProps } from '~/types'
import { Logo } from '@ui/logo'
import styles from './frame.module.css'

const MenuDrawer = lazy(() => import('~/layouts/menu_drawer'))

interface FrameProps {
  home: '/' | '/admin'
  word?: string
  menu: MenuGroup[]
  userMenu: UserMenuEntry[]
  /** Button of the chat and its panel. */
  chat?: ReactNode
  children: ReactNode
}

/** Sets a CSS variable to the width of the header's buttons in px. Toasts use it to appear next to the buttons. */
function useHeaderButtonsWidth() {
  const ref = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const root = document.documentElement.style
    const observer = new ResizeObserver(([entry]) =>
      root.setProperty('--b-header-buttons', `${Math.ceil(entry!.contentRect.width)}px`)
    )
    observer.observe(ref.current!)
    return () => {
      observer.disconnect()
      root.removeProperty('--b-header-buttons')
    }
  }, [])
  return ref
}

/** Below medium width, the sidebar is a drawer. */
export function Frame({ home, word, menu, userMenu, chat, children }: FrameProps) {
  const { user, area, version } = usePage<SharedProps>().props
  const [drawer, setDrawer] = useState<'never' | 'open' | 'closed'>('never')
  const buttons = useHeaderButtonsWidth()

  return (
    <div className={styles.frame} data-chat={Boolean(chat) || undefined}>
      <a href="#content" className={styles.skip}>
        Skip to content
      </a>
      <header className={styles.header}>
        <button
          type="button"
          className={styles.burger}
          aria-label="Open menu"
          aria-expanded={drawer === 'open'}
          onClick={() => setDrawer('open')}
        >
          <IconMenu2 size={20} stroke={1.75} aria-hidden />
        </button>
        <Link href={home} className={styles.brand}>
          <Logo />
          {word && <span className={styles.word}>{word}</span>}
        </Link>
        <div ref={buttons} className={styles.right}>
          {user && <KeyboardShortcuts userMenu={userMenu} />}
          {user && <OperationTray area={area} person={user.id} />}
          {chat && <RegionProvider>{chat}</RegionProvider>}
          <ColorSchemeButton />
          {user && <UserMenu user={user} entries={userMenu} />}
        </div>
      </header>
      <nav className={styles.sidebar} aria-label="Main">
        <Sidebar menu={menu} />
        {version && <p className={styles.version}>Berth {version}</p>}
      </nav>
      {drawer !== 'never' && (
        <Suspense fallback={null}>
          <MenuDrawer menu={menu} opened={drawer === 'open'} onClose={() => setDrawer('closed')} />
        </Suspense>
      )}
      <main id="content" className={styles.sheet} tabIndex={-1}>
        <div className={styles.content}>
          {user && <SignedOutDialog />}
          <RegionProvider>
            <PageErrorBoundary>{children}</PageErrorBoundary>
          </RegionProvider>
        </div>
      </main>
    </div>
  )
}
