import type { PackageWithAvailabilityView } from '#catalog/public'
import type { ListMeta, StatusLabels } from '#core/list_page'
import type { Permission } from '#core/permission'
import type {
  AdminInstanceCard,
  AdminInstanceView,
  DeletionView,
  HistoryView,
  InstanceCard,
  InstanceView,
} from '#instances/transformers/instance'

declare module '#core/page_props' {
  interface PagePropsByFile {
    'customer/server_instance/list': InstanceListPage
    'customer/server_instance/details': InstancePage
    'admin/server_instance/list': AdminInstanceListPage
    'admin/server_instance/details': AdminInstancePage
  }
}

export interface InstanceListPage extends ListMeta {
  instances: InstanceCard[]
  instanceStatus: StatusLabels
  /** Cheapest first within each type and series. Includes sold-out ones, marked as such. */
  packages: PackageWithAvailabilityView[]
  canOrder: Permission
}

export interface InstancePage {
  instance: InstanceView
  deletion: DeletionView | null
  history: HistoryView
  instanceStatus: StatusLabels
}

export interface AdminInstanceListPage extends ListMeta {
  instances: AdminInstanceCard[]
  instanceStatus: StatusLabels
}

export interface AdminInstancePage {
  instance: AdminInstanceView
  deletion: DeletionView | null
  history: HistoryView
  instanceStatus: StatusLabels
  /** Packages of the instance's type, with the room on its host. */
  packages: PackageWithAvailabilityView[]
  mayManage: Permission
}
