import type { Area } from '~/types'

/** What the addresses of an area begin with. */
export type AreaPrefix = '' | '/admin'

export function prefixForArea(area: Area): AreaPrefix {
  return area === 'admin' ? '/admin' : ''
}
