import type { ComponentType } from 'react'
import type { Pages } from '#core/pages'
import type { SharedProps } from '~/types'

type Page<Props> = () => Promise<{ default: ComponentType<SharedProps & Props> }>

/** Every page that the server can render, by its file; each takes what the server says it sends. */
export const pages = {
  'admin/audit/list': () => import('./pages/admin/audit/list'),
  'admin/customer/details': () => import('./pages/admin/customer/details'),
  'admin/customer/list': () => import('./pages/admin/customer/list'),
  'admin/dashboard': () => import('./pages/admin/dashboard'),
  'admin/file_manager/file': () => import('./pages/admin/file_manager/file'),
  'admin/file_manager/list': () => import('./pages/admin/file_manager/list'),
  'admin/host_instance/details': () => import('./pages/admin/host_instance/details'),
  'admin/host_instance/list': () => import('./pages/admin/host_instance/list'),
  'admin/login': () => import('./pages/admin/login'),
  'admin/profile': () => import('./pages/admin/profile'),
  'admin/project/details': () => import('./pages/admin/project/details'),
  'admin/project/list': () => import('./pages/admin/project/list'),
  'admin/server_instance/details': () => import('./pages/admin/server_instance/details'),
  'admin/server_instance/list': () => import('./pages/admin/server_instance/list'),
  'admin/server_package/list': () => import('./pages/admin/server_package/list'),
  'admin/staff/list': () => import('./pages/admin/staff/list'),
  'admin/system': () => import('./pages/admin/system'),
  'customer/dashboard': () => import('./pages/customer/dashboard'),
  'customer/file_manager/file': () => import('./pages/customer/file_manager/file'),
  'customer/file_manager/list': () => import('./pages/customer/file_manager/list'),
  'customer/invitation': () => import('./pages/customer/invitation'),
  'customer/login': () => import('./pages/customer/login'),
  'customer/members': () => import('./pages/customer/members'),
  'customer/profile': () => import('./pages/customer/profile'),
  'customer/project/details': () => import('./pages/customer/project/details'),
  'customer/project/list': () => import('./pages/customer/project/list'),
  'customer/server_instance/details': () => import('./pages/customer/server_instance/details'),
  'customer/server_instance/list': () => import('./pages/customer/server_instance/list'),
  'errors/not_found': () => import('./pages/errors/not_found'),
  'errors/refused': () => import('./pages/errors/refused'),
  'errors/server_error': () => import('./pages/errors/server_error'),
  landing: () => import('./pages/landing'),
  services: () => import('./pages/services'),
  soon: () => import('./pages/soon'),
} satisfies { [Name in keyof Pages]: Page<Pages[Name]> }

export const isPage = (name: string): name is keyof Pages => Object.hasOwn(pages, name)
