import type { ListMeta, StatusLabels } from '#core/list_page'
import type { Permission } from '#core/permission'
import type { HostCard, HostView } from '#hosts/transformers/host'

/**
 * The pages send these requests:
 * - POST /admin/host-instance/store { name, token, address?, ip?, provider? }
 * - POST /admin/host-instance/update { id, name, ip, provider, disk_overcommit? }
 * - POST /admin/host-instance/maintenance { id, on }
 * - POST /admin/host-instance/check { id }
 * - POST /admin/host-instance/delete { id, name }
 * - POST /admin/host-instance/ssh { id, username, port, key, host_key }
 */

declare module '#core/page_props' {
  interface PagePropsByFile {
    'admin/host_instance/list': HostListPage
    'admin/host_instance/details': HostPage
  }
}

export interface HostListPage extends ListMeta {
  hosts: HostCard[]
  instanceStatus: StatusLabels
  mayManage: Permission
}

export interface HostPage {
  host: HostView
  instanceStatus: StatusLabels
  serverStatus: StatusLabels
  mayManage: Permission
  /** Unresolved, newest first. */
  findings: HostDiscrepancyView[]
}

export interface HostDiscrepancyView {
  id: number
  system_id: string
  kind: string
  words: string
  server_instance_id: number | null
  /** ISO time. */
  found_at: string
}
