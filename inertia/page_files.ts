import type { ComponentType } from 'react'
import type { Pages } from '#core/pages'
import type { SharedProps } from '~/types'

/** Every page that the server renders, taking what the server says it sends. */
type Sent = { [Name in keyof Pages]: { default: ComponentType<SharedProps & Pages[Name]> } }

type Takes<Files extends Sent> = Files

/** Written by `./berth check` from the files (docs/decisions/0021). */
export type PageFiles = Takes<{
  'admin/audit/list': typeof import('./pages/admin/audit/list')
  'admin/customer/details': typeof import('./pages/admin/customer/details')
  'admin/customer/list': typeof import('./pages/admin/customer/list')
  'admin/dashboard': typeof import('./pages/admin/dashboard')
  'admin/file_manager/file': typeof import('./pages/admin/file_manager/file')
  'admin/file_manager/list': typeof import('./pages/admin/file_manager/list')
  'admin/host_instance/details': typeof import('./pages/admin/host_instance/details')
  'admin/host_instance/list': typeof import('./pages/admin/host_instance/list')
  'admin/live_support': typeof import('./pages/admin/live_support')
  'admin/login': typeof import('./pages/admin/login')
  'admin/profile': typeof import('./pages/admin/profile')
  'admin/project/details': typeof import('./pages/admin/project/details')
  'admin/project/list': typeof import('./pages/admin/project/list')
  'admin/server_instance/details': typeof import('./pages/admin/server_instance/details')
  'admin/server_instance/list': typeof import('./pages/admin/server_instance/list')
  'admin/server_package/list': typeof import('./pages/admin/server_package/list')
  'admin/staff/list': typeof import('./pages/admin/staff/list')
  'admin/system': typeof import('./pages/admin/system')
  'admin/vault/list': typeof import('./pages/admin/vault/list')
  'customer/dashboard': typeof import('./pages/customer/dashboard')
  'customer/database/details': typeof import('./pages/customer/database/details')
  'customer/database/list': typeof import('./pages/customer/database/list')
  'customer/file_manager/file': typeof import('./pages/customer/file_manager/file')
  'customer/file_manager/list': typeof import('./pages/customer/file_manager/list')
  'customer/invitation': typeof import('./pages/customer/invitation')
  'customer/login': typeof import('./pages/customer/login')
  'customer/members': typeof import('./pages/customer/members')
  'customer/profile': typeof import('./pages/customer/profile')
  'customer/project/details': typeof import('./pages/customer/project/details')
  'customer/project/list': typeof import('./pages/customer/project/list')
  'customer/server_instance/details': typeof import('./pages/customer/server_instance/details')
  'customer/server_instance/list': typeof import('./pages/customer/server_instance/list')
  'customer/vault/details': typeof import('./pages/customer/vault/details')
  'customer/vault/list': typeof import('./pages/customer/vault/list')
  'errors/not_found': typeof import('./pages/errors/not_found')
  'errors/refused': typeof import('./pages/errors/refused')
  'errors/server_error': typeof import('./pages/errors/server_error')
  landing: typeof import('./pages/landing')
  services: typeof import('./pages/services')
  soon: typeof import('./pages/soon')
}>
