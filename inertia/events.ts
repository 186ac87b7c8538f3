import { HttpNetworkError, type Page } from '@inertiajs/core'
import { router } from '@inertiajs/react'
import type { Notice, SharedProps } from '~/types'
import { clearNotices, notify } from '@ui/notify'
import { networkFailed } from '~/api_call'

const shown = new Set<string>()

/** Visits that somebody asked for: a failed fetch ahead (hovering) is no news. */
const wanted = new Set<string>()

function showOnce(notice: Notice | null | undefined) {
  if (!notice || shown.has(notice.id)) return
  shown.add(notice.id)
  void notify(notice)
}

/**
 * What happens on every visit, whichever page made it: the server's notice is shown once (going
 * back shows the old page, not its notice again) and a network failure is said; what was refused is
 * said by whoever sent it. A non-page answer is shown by Inertia's own dialog (a click outside or Escape
 * closes it); 409 with a location makes a full visit, also by Inertia.
 */
export function listen(initialPage: Page<SharedProps>) {
  showOnce(initialPage.props.notice)
  router.on('success', (event) => showOnce(event.detail.page.props.notice))
  router.on('before', (event) => {
    const { prefetch, url } = event.detail.visit
    if (!prefetch) wanted.add(url.href)
  })
  let path = window.location.pathname
  router.on('navigate', () => {
    wanted.clear()
    if (path !== window.location.pathname) void clearNotices()
    path = window.location.pathname
  })
  router.on('networkError', (event) => {
    const { error } = event.detail
    if (error instanceof HttpNetworkError && wanted.delete(error.url ?? ''))
      void notify(networkFailed)
  })
  // Paper is light; the words of the dark scheme would not be seen on it.
  const root = document.documentElement
  const SCHEME = 'data-mantine-color-scheme'
  let scheme = ''
  window.addEventListener('beforeprint', () => {
    scheme = root.getAttribute(SCHEME) ?? 'light'
    root.setAttribute(SCHEME, 'light')
  })
  window.addEventListener('afterprint', () => root.setAttribute(SCHEME, scheme))
  window.addEventListener('unhandledrejection', (event) => {
    if (event.reason instanceof HttpNetworkError) event.preventDefault()
  })
}
