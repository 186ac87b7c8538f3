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

/**
 * The pages send these requests (response format: docs/product.md, "Answers of calls"). Requests that start
 * an operation respond with 202 and `data.operation_id`.
 *
 * Customer:
 * - POST /server-instance/store { name, instance_type, server_package_id, billing_period,
 *   package_version? }
 * - POST /server-instance/start, /stop, /restart, /retry with { id }
 * - POST /server-instance/delete { id, name }
 * - GET or POST /server-instance/set-as-default/{id}
 * - GET /server-instance/boost/info?server_instance_id responds with `data: { boostDelay,
 *   boostTimer }`
 * - POST /server-instance/boost { server_instance_id }
 *
 * Staff:
 * - POST /admin/server-instance/update { id, server_package_id, package_version?, ip, username,
 *   system_id, ports, confirm_name } or { id, domains: [text] }
 * - POST /admin/server-instance/start, /stop, /restart, /retry with { id }
 * - POST /admin/server-instance/delete, /resume with { id, name }
 * - POST /admin/server-instance/suspend { id, name, reason }
 * - POST /admin/server-instance/resize { id, name, server_package_id, package_version? }
 *
 * `package_version` is the version number whose price the page showed. If another version is on
 * sale by now, the request fails with 409. Without it, an order buys the version on sale, and an
 * update keeps the version of the same package. An update resizes the instance if its package or
 * version changes.
 */

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
