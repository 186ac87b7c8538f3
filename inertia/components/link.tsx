import type { ComponentProps } from 'react'
import type { PageHref, NonGetRoutePath } from '#core/page_addresses'
import { Link as InertiaLink } from '@inertiajs/react'
import { showErrorToasts } from '~/visit'

type InertiaLinkProps = ComponentProps<typeof InertiaLink>

/** A visit that changes something goes to an address that does, any other to a page. */
type LinkProps = Omit<InertiaLinkProps, 'href' | 'method'> &
  ({ href: PageHref; method?: 'get' } | { href: NonGetRoutePath; method: 'post' })

/**
 * A link to an address that the server sends: fetched ahead after 75 ms of hovering and kept for 30 s
 * (set in `app.tsx`). Visits that change something are never fetched ahead; a refusal is a toast.
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

/** A link to a page of ours. */
export function Link(props: LinkProps) {
  return <UntypedLink {...props} />
}
