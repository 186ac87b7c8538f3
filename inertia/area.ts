import type { Area } from '~/types'

/** What the addresses of an area begin with. */
export type Prefix = '' | '/admin'

export function prefixOf(area: Area): Prefix {
  return area === 'admin' ? '/admin' : ''
}
