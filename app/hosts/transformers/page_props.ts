import type { ListMeta, StatusLabels } from '#core/list_page'
import type { Permission } from '#core/permission'
import type { HostCard, HostView } from '#hosts/transformers/host'

/**
 * Props of this domain's pages. Its calls: POST /admin/host-instance/store { name, token, address?, ip?,
 * provider? }; /update { id, name, ip, provider }; /maintenance { id, on }; /check { id };
 * /delete { id, name }; /ssh { id, username, port, key, host_key }.
 */

declare module '#core/page_props' {
  interface Pages {
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
  /** Statuses of the server instances on it. */
  serverStatus: StatusLabels
  mayManage: Permission
  /** What the reconciler found and nobody has settled, newest first. */
  findings: HostDiscrepancyView[]
}

/** A difference between database and Incus. */
export interface HostDiscrepancyView {
  id: number
  system_id: string
  kind: string
  words: string
  server_instance_id: number | null
  /** ISO time. */
  found_at: string
}
