import { Domain } from '#compute/public'
import type { Actor } from '#core/contracts/actor'
import type { OperationView } from '#core/models/operation'
import type Project from '#projects/models/project'
import type { ProjectStatus } from '#projects/models/project'
import { whyNotChange } from '#projects/policies/project_rules'
import { type Stack, stacks } from '#projects/stacks'
import type { VirtualHost } from '#projects/virtual_host/types'

/** Stands in pages for what is there but never leaves the server. */
const MASK = '••••••••'

/** A project in lists (specifications, "Project"). */
export interface ProjectRow {
  id: number
  name: string
  path: string
  stack: Stack
  status: ProjectStatus
  server_instance_id: number
  server_instance: { name: string; ip: string | null }
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
  /** The file that Apache reads for it. */
  site_file: string | null
  /** What the server said when something could last not be done. */
  site_error: string | null
  /** Whether it runs under PM2. */
  has_processes: boolean
  domain: DomainFacts | null
  /** Where its owner points the domain at. */
  dns_target: string | null
  /** Why nothing can be changed now; null when it can. */
  barred: string | null
  operation: OperationView | null
  created_at: string
}

export interface DomainFacts {
  subdomain: string
  status: string
  status_reason: string | null
}

/** Needs `instance` loaded. */
export function projectRow({ id, name, path, stack, status, ...rest }: Project): ProjectRow {
  const { serverInstanceId, instance } = rest
  return {
    ...{ id, name, path, stack, status },
    server_instance_id: serverInstanceId,
    server_instance: { name: instance.name, ip: instance.ip },
  }
}

/** Needs `instance` with its host loaded. Keys and names in Incus stay on the server. */
export async function projectView(
  actor: Actor,
  project: Project,
  operation: OperationView | null
): Promise<ProjectView> {
  const { instance, virtualHost } = project
  const name = virtualHost?.subdomain
  const domain = name
    ? await Domain.query().where({ serverInstanceId: instance.id, subdomain: name }).first()
    : null
  return {
    ...projectRow(project),
    server_instance: {
      name: instance.name,
      ip: instance.ip,
      instance_type: instance.instanceType,
      ports: instance.ports,
      username: instance.username,
      system_id: instance.systemId && MASK,
      ssh_key: instance.sshKey && MASK,
      status: instance.status,
    },
    virtual_host: virtualHost,
    site_file: project.siteFile,
    site_error: project.siteError,
    has_processes: stacks[project.stack].process,
    domain: domain && {
      subdomain: domain.subdomain,
      status: domain.status,
      status_reason: domain.statusReason,
    },
    dns_target: instance.ip ?? instance.host?.ip ?? null,
    barred: whyNotChange(actor, project),
    operation,
    created_at: project.createdAt.toISO()!,
  }
}
