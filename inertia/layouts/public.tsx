import type { ReactNode } from 'react'
import { Head, usePage } from '@inertiajs/react'
import { ColorSchemeButton } from '~/components/color_scheme_button'
import { Link } from '~/components/link'
import { PageErrorBoundary } from '~/components/page_error_boundary'
import { RegionProvider } from '~/layouts/region_provider'
import type { SharedProps } from '~/types'
import { Logo } from '@ui/logo'
import styles from './public.module.css'

export function PublicLayout({ children }: { children?: ReactNode }) {
  const page = usePage<Partial<SharedProps>>()
  const admin = page.props.area === 'admin'
  const login = admin ? '/admin/login' : '/login'
  const isLoginPage = page.url.split('?')[0] === login

  return (
    <div className={styles.frame}>
      <Head>
        <meta
          name="description"
          content="Berth is a server management system: instances, sites, files, databases, storage and email in one console."
        />
      </Head>
      <header className={styles.header}>
        <Link href={admin ? '/admin' : '/'} className={styles.brand}>
          <Logo />
          {admin && <span className={styles.word}>Admin</span>}
        </Link>
        <nav aria-label="Main" className={styles.nav}>
          <ColorSchemeButton />
          {!page.props.user && (
            <Link
              href={login}
              className={styles.login}
              aria-current={isLoginPage ? 'page' : undefined}
            >
              Login
            </Link>
          )}
        </nav>
      </header>
      <main className={styles.main}>
        <RegionProvider>
          <PageErrorBoundary>{children}</PageErrorBoundary>
        </RegionProvider>
      </main>
    </div>
  )
}
