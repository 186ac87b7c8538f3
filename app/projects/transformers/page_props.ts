import type { CustomerSummary } from '#core/contracts/customer_summary'
import type { ListMeta } from '#core/list_page'
import type { DomainView } from '#instances/views/public_domain_view'
import type { OperationView } from '#core/models/operation'
import type { Stack } from '#projects/stacks'
import type { ProjectStatus } from '#projects/statuses'
import type { PhpSettings } from '#projects/virtual_host/php_pool'
import type { VirtualHost } from '#projects/virtual_host/virtual_host_types'

declare module '#core/page_props' {
  interface Pages {
    'customer/project/list': ProjectListPage
    'admin/project/list': ProjectListPage
    'customer/project/details': ProjectPage
    'admin/project/details': ProjectPage
  }
}

/** Where visitors reach a project. */
export interface ProjectAddress {
  url: string
  /** How far a domain is; null for a port, which is there or not. */
  status: string | null
}

/** A project in lists (product, "Projects"). */
export interface ProjectRow {
  id: number
  name: string
  path: string
  stack: Stack
  status: ProjectStatus
  server_instance_id: number
  server_instance: { name: string; ip: string | null }
  /** None until its virtual host is set up. */
  addresses: ProjectAddress[]
}

/** A project in detail. */
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
  /** Limits and version of PHP as they hold, or would, for its virtual host. */
  php: PhpSettings
  /** The file that Apache reads for it. */
  site_file: string | null
  /** What the server said when something could last not be done. */
  site_error: string | null
  /** Why it cannot be reached by IP and port; null when it can. */
  port_barred: string | null
  /** The port that its app was last given; null where none is known. */
  app_port: number | null
  /** Whether it runs under PM2. */
  has_processes: boolean
  domain: DomainView | null
  /** Why nothing can be changed now; null when it can. */
  barred: string | null
  operation: OperationView | null
  /** Whether what failed last can be tried again, and why not now; null when nothing did. */
  retry: { reason: string | null } | null
  created_at: string
}

/** Instances that a new project can be put on. */
export interface InstanceChoice {
  id: number
  name: string
  ip: string | null
  instance_type: 'regular' | 'shared'
  /** Stacks that it can take but should not, with the reason. */
  warnings: Record<string, string>
  /** Why it cannot be chosen now. */
  reason: string | null
}

/** A project in a list of those of many customers. */
export interface ProjectRowWithCustomer extends ProjectRow {
  /** Staff only. */
  customer: CustomerSummary | null
}

/** `customer/project/list` and `admin/project/list` */
export interface ProjectListPage extends ListMeta {
  projects: ProjectRowWithCustomer[]
  projectStatus: Record<string, string>
  projectStacks: Record<string, string>
  /** Statuses that this person may give. */
  statusChoices: string[]
  serverInstances: InstanceChoice[]
  /** What paths of projects are relative to. */
  webRoot: string
}

export interface ProjectPage {
  project: ProjectView
  projectStatus: Record<string, string>
  projectStacks: Record<string, string>
  serverInstances: InstanceChoice[]
  /** What the project's path is relative to. */
  webRoot: string
}

/** `restarting`: it ended by itself and is started again, or was a moment ago. */
export type ProcessStatus =
  'online' | 'launching' | 'restarting' | 'stopping' | 'stopped' | 'errored' | 'unknown'

/** `GET /project/:id/php`: what its PHP can be set to. */
export interface PhpChoices {
  /** Installed versions, newest first; empty where there is none or the server does not answer. */
  versions: string[]
}

/** `GET /project/:id/wordpress` */
export interface WordpressState {
  /** Null if WordPress does not start or is not set up. */
  version: string | null
  /** `unknown`: wordpress.org did not answer. */
  update: 'current' | 'available' | 'unknown'
  /** The version that it can be updated to. */
  newest: string | null
  /** Plugins and themes that have updates. */
  plugins: number
  themes: number
  /** Null while the project has no address. */
  admin_url: string | null
  /** Why WordPress does not work, and what to do. */
  problem: string | null
}

/** A Node process as pages see it (product, "Projects"). */
export interface NodeProcess {
  pm_id: number
  name: string
  pid: number
  monit: { cpu: number; memory: number }
  pm2_env: {
    status: ProcessStatus
    /** How often it was started again since it was made. */
    restart_time: number
    /** Seconds since its last start; null while it does not run. */
    uptime: number | null
  }
  trouble: ProcessProblem | null
}

/** Why a process does not do what it should. */
export interface ProcessProblem {
  /** What happened. */
  words: string
  /** What to do about it. */
  next: string
  /** What it wrote last. */
  lines: string[]
}
