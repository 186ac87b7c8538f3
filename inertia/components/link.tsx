import type { ComponentProps } from 'react'
import type { PageHref, NonGetRoutePath } from '#core/page_addresses'
import { Link as InertiaLink } from '@inertiajs/react'
import { showErrorToasts } from '~/visit'

type InertiaLinkProps = ComponentProps<typeof InertiaLink>

/** A POST link needs a route that changes something; any other link needs a page. */
type LinkProps = Omit<InertiaLinkProps, 'href' | 'method'> &
  ({ href: PageHref; method?: 'get' } | { href: NonGetRoutePath; method: 'post' })

/**
 * Prefetched after 75 ms of hovering and cached for 30 s (set in `app.tsx`). POST links are never
 * prefetched; their errors are shown as toasts.
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
