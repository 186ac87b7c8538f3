import type { Area } from '~/types'

export type AreaPrefix = '' | '/admin'

export function prefixForArea(area: Area): AreaPrefix {
  return area === 'admin' ? '/admin' : ''
}
