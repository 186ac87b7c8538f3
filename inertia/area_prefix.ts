import type { Area } from '~/types'

/** The URL prefix of an area. */
export type AreaPrefix = '' | '/admin'

export function prefixForArea(area: Area): AreaPrefix {
  return area === 'admin' ? '/admin' : ''
}
