import type { ReactNode } from 'react'
import { usePage } from '@inertiajs/react'
import { RegionContext } from '@ui/region'
import type { SharedProps } from '~/types'

export function RegionProvider({ children }: { children: ReactNode }) {
  const { region } = usePage<Partial<SharedProps>>().props
  return region ? <RegionContext value={region}>{children}</RegionContext> : children
}
