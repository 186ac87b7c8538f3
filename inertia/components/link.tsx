import type { ComponentProps } from 'react'
import type { PageHref, NonGetRoutePath } from '#core/page_addresses'
import { Link as InertiaLink } from '@inertiajs/react'
import { showErrorToasts } from '~/visit'

type InertiaLinkProps = ComponentProps<typeof InertiaLink>

/** Props of a link. A POST link needs a route that changes something. Any other link needs the route of a page. */
type LinkProps = Omit<InertiaLinkProps, 'href' | 'method'> &
  ({ href: PageHref; method?: 'get' } | { href: NonGetRoutePath; method: 'post' })

/**
 * Prefetches the page after 75 ms of hovering and caches it for 30 s (set in `app.tsx`). POST links are never
 * prefetched, and their errors appear as toasts.
 */
export function UntypedLink({ prefetch, method, ...rest }: InertiaLinkProps) {
  const reads = !method || method === 'get'
  return (
    <InertiaLink
      method={method}
      prefetch={prefetch ?? (reads ? 'hover' : false)}
      onError={reads ? undefined : showErrorToasts}
      {...rest}
    />
  )
}

export function Link(props: LinkProps) {
  return <UntypedLink {...props} />
}
