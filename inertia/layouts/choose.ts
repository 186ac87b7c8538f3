import type { Page } from '@inertiajs/core'
import type { SharedProps } from '~/types'
import { AdminLayout } from '~/layouts/admin'
import { CustomerLayout } from '~/layouts/customer'
import { PublicLayout } from '~/layouts/public'

/**
 * The layout of a page that names none of its own: by the first part of its name; pages of both
 * areas (soon, errors) stay in the area that the visitor is in. Layouts persist between visits.
 */
export function chooseLayout(name: string, page: Page) {
  const { user, area } = page.props as Partial<SharedProps>
  if (name.endsWith('/login')) return PublicLayout
  if (name.startsWith('admin/')) return AdminLayout
  if (name.startsWith('customer/')) return CustomerLayout
  if (name === 'landing' || !user) return PublicLayout
  if (area === 'admin') return AdminLayout
  return area === 'customer' ? CustomerLayout : PublicLayout
}
