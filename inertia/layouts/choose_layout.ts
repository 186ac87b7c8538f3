import type { Page } from '@inertiajs/core'
import type { ComponentType, ReactNode } from 'react'
import { PublicLayout } from '~/layouts/public'
import type { SharedProps } from '~/types'

export type Layout = ComponentType<{ children?: ReactNode }>
type LayoutName = 'public' | 'customer' | 'admin'

/** Functions that load the layouts on demand, because signed-out visitors do not need the menus. */
const layoutLoaders: Record<Exclude<LayoutName, 'public'>, () => Promise<Layout>> = {
  customer: async () => (await import('~/layouts/customer')).CustomerLayout,
  admin: async () => (await import('~/layouts/admin')).AdminLayout,
}
const loadedLayouts: Partial<Record<LayoutName, Layout>> = { public: PublicLayout }

/** Pages that both areas share (such as errors) get the layout of the current area, or `public` while signed out. */
function layoutName(name: string, page: Page): LayoutName {
  const { user, area } = page.props as Partial<SharedProps>
  if (name.endsWith('/login')) return 'public'
  if (name.startsWith('admin/')) return 'admin'
  if (name.startsWith('customer/')) return 'customer'
  if (name === 'landing' || !user) return 'public'
  return area ?? 'public'
}

/** Call it before `chooseLayout`. */
export async function loadLayout(name: string, page: Page): Promise<void> {
  const layout = layoutName(name, page)
  if (layout !== 'public') loadedLayouts[layout] ??= await layoutLoaders[layout]()
}

/** Returns the loaded layout for a page that does not choose another itself. A layout stays mounted between visits. */
export function chooseLayout(name: string, page: Page): Layout {
  return loadedLayouts[layoutName(name, page)] ?? PublicLayout
}
