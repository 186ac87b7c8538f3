import type { ListMeta, StatusLabels } from '#core/list_page'
import type { Permission } from '#core/permission'
import type { HostCard, HostView } from '#hosts/transformers/host'

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
  /** Discrepancies that still exist, newest first. */
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
