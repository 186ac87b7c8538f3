import type { CustomerSummary } from '#core/contracts/customer_summary'
import type { ListMeta } from '#core/list_page'
import type { DomainView } from '#instances/public'
import type { OperationView } from '#core/contracts/operation_view'
import type { ProjectStack } from '#projects/stacks'
import type { ProjectStatus } from '#projects/statuses'
import type { PhpSettings } from '#projects/virtual_host/php_pool'
import type { AdditionalDomain, VirtualHost } from '#projects/virtual_host/virtual_host_types'

declare module '#core/page_props' {
  interface PagePropsByFile {
    'customer/project/list': ProjectListPage
    'admin/project/list': ProjectListPage
    'customer/project/details': ProjectPage
    'admin/project/details': ProjectPage
  }
}

export interface ProjectAddress {
  url: string
  /** Status of the domain; null for an address by port. */
  status: string | null
}

export interface ProjectRow {
  id: number
  name: string
  path: string
  stack: ProjectStack
  status: ProjectStatus
  server_instance_id: number
  server_instance: { name: string; ip: string | null }
  /** Empty if neither a domain nor a forwarded host port leads to the project. */
  addresses: ProjectAddress[]
}

export interface AdditionalDomainView extends AdditionalDomain {
  /** Null if the domain was deleted from the instance's domain list. */
  domain: DomainView | null
}

export interface ProjectView extends ProjectRow {
  server_instance: {
    name: string
    ip: string | null
    instance_type: 'regular' | 'shared'
    ports: Record<string, number>
    username: string | null
    system_id: string | null
    ssh_key: string | null
    status: string
  }
  virtual_host: VirtualHost | null
  /** PHP settings of the virtual host, or the defaults if there is none yet. */
  php: PhpSettings
  site_file: string | null
  site_error: string | null
  /** Reason why the project cannot be reached by IP and port; null if it can. */
  port_barred: string | null
  /** The app's port at its last start; null if unknown. */
  app_port: number | null
  has_processes: boolean
  /** The primary domain; null if the project has none. */
  domain: DomainView | null
  other_domains: AdditionalDomainView[]
  /** Reason why the project cannot be changed now; null if it can. */
  barred: string | null
  operation: OperationView | null
  /** Null unless the last operation failed and can be retried. `reason` says why a retry is not possible now. */
  retry: { reason: string | null } | null
  created_at: string
}

export interface InstanceChoice {
  id: number
  name: string
  ip: string | null
  instance_type: 'regular' | 'shared'
  /** Warnings by stack, for stacks to which this instance is not suited. */
  warnings: Record<string, string>
  /** Reason why the instance cannot be selected now. */
  reason: string | null
}

export interface ProjectRowWithCustomer extends ProjectRow {
  /** Null for customers. */
  customer: CustomerSummary | null
}

export interface ProjectListPage extends ListMeta {
  projects: ProjectRowWithCustomer[]
  projectStatus: Record<string, string>
  projectStacks: Record<string, string>
  statusChoices: string[]
  serverInstances: InstanceChoice[]
  webRoot: string
}

export interface ProjectPage {
  project: ProjectView
  projectStatus: Record<string, string>
  projectStacks: Record<string, string>
  serverInstances: InstanceChoice[]
  webRoot: string
}

/** `restarting`: the process exited, and PM2 is restarting it or did so a moment ago. */
export type ProcessStatus =
  | 'online'
  | 'launching'
  | 'restarting'
  | 'stopping'
  | 'stopped'
  | 'errored'
  | 'unknown'

/** Response of `GET /project/:id/php`. */
export interface PhpChoices {
  /** Newest first. Empty if PHP is not installed. */
  versions: string[]
}

/** Response of `GET /project/:id/logs`: the last lines, oldest first. */
export interface SiteLogs {
  access: string[]
  errors: string[]
  /** The newest error of the last hour for which Berth knows a solution. */
  problem: ProcessProblem | null
  /** The machine's UTC offset in minutes: 360 in Dhaka. */
  utc_offset: number
}

/** Response of `GET /project/:id/wordpress`. */
export interface WordpressState {
  /** Null if WordPress does not start, or its installer has not run. */
  version: string | null
  /** `unknown`: wordpress.org did not answer. */
  update: 'current' | 'available' | 'unknown'
  newest: string | null
  plugins: number
  themes: number
  /** Null while the project has no address. */
  admin_url: string | null
  /** Why WordPress does not work, and what to do. */
  problem: string | null
}

export interface NodeProcess {
  pm_id: number
  name: string
  pid: number
  monit: { cpu: number; memory: number }
  pm2_env: {
    status: ProcessStatus
    restart_time: number
    /** Seconds; null while the process does not run. */
    uptime: number | null
  }
  trouble: ProcessProblem | null
}

export interface ProcessProblem {
  words: string
  next: string
  lines: string[]
}
