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
  /** In the order that staff set. Includes sold-out packages, marked as such. */
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
  /**
   * The instance's package and the offered packages of its type, with whether the host has capacity
   * for each.
   */
  packages: PackageWithAvailabilityView[]
  mayManage: Permission
}
