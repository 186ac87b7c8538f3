import type { Errors, VisitOptions } from '@inertiajs/core'
import { router } from '@inertiajs/react'
import { notify } from '@ui/notify'
import type { PageHref, NonGetRoutePath } from '#core/page_addresses'

export function visit(to: PageHref, options: VisitOptions = {}) {
  router.visit(to, options)
}

export function showErrorToasts(errors: Errors) {
  for (const message of new Set(Object.values(errors))) void notify({ success: false, message })
}

/** Shows the resulting page at the same scroll position, or the errors as toasts. */
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
