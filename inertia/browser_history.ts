import type { Page } from '@inertiajs/core'
import { router } from '@inertiajs/react'
import type { SharedProps } from '~/types'

/**
 * Prevents Back from showing another user's pages after a sign-out. Inertia encrypts history entries and deletes their
 * key at the sign-out, but browsers can encrypt only on https and localhost. On plain http, this function reloads such
 * an entry from the server.
 */
export function discardOtherUsersPages(initialPage: Page<SharedProps>) {
  let current = userIdOf(initialPage)
  if (isOtherUsersPage(history.state, current)) history.replaceState(null, '')
  router.on('navigate', (event) => {
    current = userIdOf(event.detail.page)
  })
  // Runs before Inertia's own listener, which would render the page.
  addEventListener(
    'popstate',
    (event) => {
      if (!isOtherUsersPage(event.state, current)) return
      event.stopImmediatePropagation()
      location.reload()
    },
    { capture: true }
  )
}

function userIdOf(page: unknown): number | string | null {
  return (page as Partial<Page<Partial<SharedProps>>> | undefined)?.props?.user?.id ?? null
}

function isOtherUsersPage(state: unknown, current: number | string | null): boolean {
  const page = (state as { page?: unknown } | null)?.page
  if (!page || page instanceof ArrayBuffer) return false
  const owner = userIdOf(page)
  return owner !== null && owner !== current
}

let isBack = false

/** Returns whether the person came to this page by Back or Forward. The page's state should then be restored. */
export function isBackNavigation() {
  return isBack
}

/** Records whether visits happen by Back and Forward. Call it at startup. */
export function trackNavigation() {
  addEventListener('popstate', () => (isBack = true), { capture: true })
  router.on('start', ({ detail: { visit } }) => {
    if (!visit.async && !visit.prefetch) isBack = false
  })
}
