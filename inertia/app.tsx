import '~/css/app.css'
import type { ComponentType } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { createInertiaApp } from '@inertiajs/react'
import { preserveEarlyInput } from '~/preserve_early_input'
import { listenToInertiaEvents } from '~/inertia_events'
import { discardOtherUsersPages, trackNavigation } from '~/browser_history'
import { chooseLayout, loadLayout } from '~/layouts/choose_layout'
import { CancellableHttpClient } from '~/cancellable_http_client'
import { Root } from '~/root'
import { windowTitle } from '~/window_title'
import type { SharedProps } from '~/types'

/**
 * Styles of all pages. The first page loads all of them, so that no server-rendered page appears unstyled. The
 * attribute `data-styles` uses this value, so that the bundler does not remove it.
 */
const styles = import.meta.glob<Record<string, string>>(
  ['./**/*.module.css', '../packages/ui/**/*.module.css'],
  { eager: true, import: 'default' }
)

const pages = import.meta.glob<{ default: ComponentType }>([
  './pages/**/*.tsx',
  '!./pages/**/*.test.tsx',
])

createInertiaApp<SharedProps>({
  title: windowTitle,
  http: new CancellableHttpClient(),
  layout: chooseLayout,
  resolve: async (name, pageProps) => {
    const load = pages[`./pages/${name}.tsx`]
    if (!load) throw new Error(`No page named "${name}"`)
    const [page] = await Promise.all([load(), pageProps && loadLayout(name, pageProps)])
    return page.default
  },
  setup({ el, App, props }) {
    el.dataset.styles = String(Object.values(styles).length)
    discardOtherUsersPages(props.initialPage)
    trackNavigation()
    listenToInertiaEvents(props.initialPage)
    const app = (
      <Root colorScheme={props.initialPage.props.colorScheme} onHydrated={preserveEarlyInput(el)}>
        <App {...props} />
      </Root>
    )
    if (el.hasAttribute('data-server-rendered')) hydrateRoot(el, app)
    else createRoot(el).render(app)
  },
  progress: { delay: 250, color: 'var(--b-accent, #0a6664)', showSpinner: false },
  defaults: { prefetch: { hoverDelay: 75, cacheFor: 30_000 } },
})
