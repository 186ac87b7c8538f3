import type { Errors, VisitOptions } from '@inertiajs/core'
import { router } from '@inertiajs/react'
import { notify } from '@ui/notify'
import type { PageHref, NonGetRoutePath } from '#core/page_addresses'

/** Goes to a page. */
export function visit(to: PageHref, options: VisitOptions = {}) {
  router.visit(to, options)
}

/** Says as toasts what a visit was refused for. */
export function showErrorToasts(errors: Errors) {
  for (const message of new Set(Object.values(errors))) void notify({ success: false, message })
}

/**
 * Changes something by a visit: the page that the server answers with is shown where it was scrolled
 * to, a refusal is a toast.
 */
export function postVisit(
  to: NonGetRoutePath,
  data: Record<string, string | number> = {},
  options: VisitOptions = {}
) {
  router.post(to, data, {
    preserveScroll: true,
    onError: showErrorToasts,
    ...options,
  })
}
