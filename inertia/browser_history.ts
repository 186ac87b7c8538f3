import type { Page } from '@inertiajs/core'
import { router } from '@inertiajs/react'
import type { SharedProps } from '~/types'

/**
 * Browsers keep pages for Back. Inertia seals them and throws the key away at sign-out, which needs
 * https (or this machine); on plain http what was kept for somebody else is asked for anew instead.
 */
export function discardOtherUsersPages(initialPage: Page<SharedProps>) {
  let current = userIdOf(initialPage)
  if (isOtherUsersPage(history.state, current)) history.replaceState(null, '')
  router.on('navigate', (event) => {
    current = userIdOf(event.detail.page)
  })
  // Before Inertia's own listener, which would draw it.
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

/** Whether a kept page can be read and was made for a person who is not signed in here now. */
function isOtherUsersPage(state: unknown, current: number | string | null): boolean {
  const page = (state as { page?: unknown } | null)?.page
  if (!page || page instanceof ArrayBuffer) return false
  const owner = userIdOf(page)
  return owner !== null && owner !== current
}

let isBack = false

/** Whether the page that is shown was gone back (or forward) to: it is as it was left. */
export function isBackNavigation() {
  return isBack
}

/** Notes from the start how pages are reached. */
export function trackNavigation() {
  addEventListener('popstate', () => (isBack = true), { capture: true })
  router.on('start', ({ detail: { visit } }) => {
    if (!visit.async && !visit.prefetch) isBack = false
  })
}
