import { HttpNetworkError, type Page } from '@inertiajs/core'
import { router } from '@inertiajs/react'
import type { FlashMessage, SharedProps } from '~/types'
import { clearStaleNotices, notify } from '@ui/notify'
import { networkErrorAnswer } from '~/api_call'
import { checkSignedOut, isSignedOut } from '~/signed_out'

const shownNoticeIds = new Set<string>()

/**
 * URLs of visits and reloads. Prefetches (on hover) are not among them, because a failed prefetch must not show an
 * error.
 */
const visitUrls = new Set<string>()

function showNoticeOnce(notice: FlashMessage | null | undefined) {
  if (!notice || shownNoticeIds.has(notice.id)) return
  shownNoticeIds.add(notice.id)
  void notify(notice)
}

/**
 * Handles Inertia's events. Shows the server's notice once, and not again after Back. Validation errors are shown by
 * the component that sent the request. Inertia itself shows a response that is not a page in a dialog, and follows a
 * 409 response with a location by a full visit.
 */
export function listenToInertiaEvents(initialPage: Page<SharedProps>) {
  showNoticeOnce(initialPage.props.notice)
  router.on('success', (event) => showNoticeOnce(event.detail.page.props.notice))
  router.on('before', (event) => {
    const { prefetch, url } = event.detail.visit
    if (!prefetch) visitUrls.add(url.href)
  })
  let path = window.location.pathname
  router.on('navigate', (event) => {
    const { area, user } = event.detail.page.props as SharedProps
    // Back may show a page from before the sign-out, so the session is checked.
    if (user && isSignedOut()) void checkSignedOut(area, user.id)
    visitUrls.clear()
    if (path !== window.location.pathname) void clearStaleNotices()
    path = window.location.pathname
  })
  router.on('networkError', (event) => {
    const { error } = event.detail
    if (error instanceof HttpNetworkError && visitUrls.delete(error.url ?? ''))
      void notify(networkErrorAnswer)
  })
  // Prints in the light colour scheme, because the light text of the dark scheme would be invisible on white paper.
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
