import type { VisitOptions } from '@inertiajs/core'
import { router } from '@inertiajs/react'
import type { Address, ChangeAddress } from '~/addresses'

/** Goes to a page. */
export function visit(to: Address, options: VisitOptions = {}) {
  router.visit(to, options)
}

/** Changes something by a visit: the page that the server answers with is shown, where it was scrolled to. */
export function post(
  to: ChangeAddress,
  data: Record<string, string | number> = {},
  options: VisitOptions = {}
) {
  router.post(to, data, { preserveScroll: true, ...options })
}
