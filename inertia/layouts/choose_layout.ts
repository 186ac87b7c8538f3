import type { Page } from '@inertiajs/core'
import type { ComponentType, ReactNode } from 'react'
import { PublicLayout } from '~/layouts/public'
import type { SharedProps } from '~/types'

export type Layout = ComponentType<{ children?: ReactNode }>
type LayoutName = 'public' | 'customer' | 'admin'

/** Whoever is signed out needs neither menus nor what opens them: those come with the first page that has them. */
const layoutLoaders: Record<Exclude<LayoutName, 'public'>, () => Promise<Layout>> = {
  customer: async () => (await import('~/layouts/customer')).CustomerLayout,
  admin: async () => (await import('~/layouts/admin')).AdminLayout,
}
const loadedLayouts: Partial<Record<LayoutName, Layout>> = { public: PublicLayout }

/**
 * By the first part of the page's name; pages of both areas (soon, errors) stay in the area that the
 * visitor is in.
 */
function layoutName(name: string, page: Page): LayoutName {
  const { user, area } = page.props as Partial<SharedProps>
  if (name.endsWith('/login')) return 'public'
  if (name.startsWith('admin/')) return 'admin'
  if (name.startsWith('customer/')) return 'customer'
  if (name === 'landing' || !user) return 'public'
  return area ?? 'public'
}

/** Fetches the layout of a page, which `chooseLayout` has at hand from then on. */
export async function loadLayout(name: string, page: Page): Promise<void> {
  const layout = layoutName(name, page)
  if (layout !== 'public') loadedLayouts[layout] ??= await layoutLoaders[layout]()
}

/** The layout of a page that names none of its own. Layouts persist between visits. */
export function chooseLayout(name: string, page: Page): Layout {
  return loadedLayouts[layoutName(name, page)] ?? PublicLayout
}
