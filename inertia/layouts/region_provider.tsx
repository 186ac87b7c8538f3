import type { ReactNode } from 'react'
import { usePage } from '@inertiajs/react'
import { RegionContext } from '@ui/region'
import type { SharedProps } from '~/types'

/** Gives a page the currency and time zone that the server sent with it. */
export function RegionProvider({ children }: { children: ReactNode }) {
  const { region } = usePage<Partial<SharedProps>>().props
  return region ? <RegionContext value={region}>{children}</RegionContext> : children
}
