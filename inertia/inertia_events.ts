import { HttpNetworkError, type Page } from '@inertiajs/core'
import { router } from '@inertiajs/react'
import type { FlashMessage, SharedProps } from '~/types'
import { clearStaleNotices, notify } from '@ui/notify'
import { networkErrorAnswer } from '~/api_call'

const shownNoticeIds = new Set<string>()

/** Visits that somebody asked for: a failed fetch ahead (hovering) is no news. */
const visitUrls = new Set<string>()

function showNoticeOnce(notice: FlashMessage | null | undefined) {
  if (!notice || shownNoticeIds.has(notice.id)) return
  shownNoticeIds.add(notice.id)
  void notify(notice)
}

/**
 * What happens on every visit, whichever page made it: the server's notice is shown once (going
 * back shows the old page, not its notice again) and a network failure is said; what was refused is
 * said by whoever sent it. A non-page answer is shown by Inertia's own dialog (a click outside or Escape
 * closes it); 409 with a location makes a full visit, also by Inertia.
 */
export function listenToInertiaEvents(initialPage: Page<SharedProps>) {
  showNoticeOnce(initialPage.props.notice)
  router.on('success', (event) => showNoticeOnce(event.detail.page.props.notice))
  router.on('before', (event) => {
    const { prefetch, url } = event.detail.visit
    if (!prefetch) visitUrls.add(url.href)
  })
  let path = window.location.pathname
  router.on('navigate', () => {
    visitUrls.clear()
    if (path !== window.location.pathname) void clearStaleNotices()
    path = window.location.pathname
  })
  router.on('networkError', (event) => {
    const { error } = event.detail
    if (error instanceof HttpNetworkError && visitUrls.delete(error.url ?? ''))
      void notify(networkErrorAnswer)
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
