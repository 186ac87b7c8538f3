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
 * Props of this domain's pages. Their calls (all answer as product, "Answers of calls"; long
 * work answers 202 with `data.operation_id`):
 *
 * Customer: POST /server-instance/store { name, instance_type, server_package_id, billing_period,
 * package_version? };
 * /start, /stop, /restart, /retry { id };
 * /delete { id, name }; GET or POST /set-as-default/{id}; GET /boost/info?server_instance_id gives
 * `data: { boostDelay, boostTimer }`; POST /boost { server_instance_id }.
 *
 * `package_version` is the number of the version whose price was shown; where another is sold by now,
 * the call is refused (409). Without it what is sold now is bought. An update moves an instance where
 * package or version are others than it has; without a version it keeps the one of its package.
 *
 * Staff: POST /admin/server-instance/update { id, server_package_id, package_version?, ip, username, system_id,
 * ports, confirm_name } or { id, domains: [text] }; /start, /stop, /restart, /retry
 * { id }; /delete, /resume { id, name }; /suspend { id, name, reason }; /resize { id, name,
 * server_package_id, package_version? }.
 */

declare module '#core/page_props' {
  interface Pages {
    'customer/server_instance/list': InstanceListPage
    'customer/server_instance/details': InstancePage
    'admin/server_instance/list': AdminInstanceListPage
    'admin/server_instance/details': AdminInstancePage
  }
}

export interface InstanceListPage extends ListMeta {
  instances: InstanceCard[]
  instanceStatus: StatusLabels
  /** What is offered, cheapest first within its type and series; what is sold out says so. */
  packages: PackageWithAvailabilityView[]
  /** Whether anything can be ordered now; where not, why. */
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
  /** What is sold now of the instance's type, for another size: which there is room for on its host. */
  packages: PackageWithAvailabilityView[]
  /** Whether this member of staff may change it. */
  mayManage: Permission
}
