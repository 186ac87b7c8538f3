import type { ComponentProps } from 'react'
import { Link as InertiaLink } from '@inertiajs/react'

type LinkProps = ComponentProps<typeof InertiaLink>

/**
 * A link to a page: fetched ahead after 75 ms of hovering and kept for 30 s (set in `app.tsx`).
 * Visits that change something are never fetched ahead.
 */
export function Link({ prefetch, method, ...rest }: LinkProps) {
  const reads = !method || method === 'get'
  return <InertiaLink method={method} prefetch={prefetch ?? (reads ? 'hover' : false)} {...rest} />
}
