import type { Page } from '@inertiajs/core'
import { router } from '@inertiajs/react'
import type { SharedProps } from '~/types'

/**
 * Browsers keep pages for Back. Inertia seals them and throws the key away at sign-out, which needs
 * https (or this machine); on plain http what was kept for somebody else is asked for anew instead.
 */
export function forgetOthers(initialPage: Page<SharedProps>) {
  let current = userOf(initialPage)
  if (isOthers(history.state, current)) history.replaceState(null, '')
  router.on('navigate', (event) => {
    current = userOf(event.detail.page)
  })
  // Before Inertia's own listener, which would draw it.
  addEventListener(
    'popstate',
    (event) => {
      if (!isOthers(event.state, current)) return
      event.stopImmediatePropagation()
      location.reload()
    },
    { capture: true }
  )
}

function userOf(page: unknown): number | string | null {
  return (page as Partial<Page<Partial<SharedProps>>> | undefined)?.props?.user?.id ?? null
}

/** Whether a kept page can be read and was made for a person who is not signed in here now. */
function isOthers(state: unknown, current: number | string | null): boolean {
  const kept = (state as { page?: unknown } | null)?.page
  if (!kept || kept instanceof ArrayBuffer) return false
  const owner = userOf(kept)
  return owner !== null && owner !== current
}

let back = false

/** Whether the page that is shown was gone back (or forward) to: it is as it was left. */
export function wentBack() {
  return back
}

/** Notes from the start how pages are reached. */
export function noteSteps() {
  addEventListener('popstate', () => (back = true), { capture: true })
  router.on('start', ({ detail: { visit } }) => {
    if (!visit.async && !visit.prefetch) back = false
  })
}
