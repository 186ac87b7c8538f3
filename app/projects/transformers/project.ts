import { type Domain, domainViews } from '#edge/public'
import type { Actor } from '#core/contracts/actor'
import type { DashboardSectionRow } from '#core/contracts/menu_and_dashboard'
import type Operation from '#core/models/operation'
import { findRetryableOperationKind } from '#projects/actions/retry_failed_operation'
import Project from '#projects/models/project'
import {
  noHostPortsReason,
  changeRejectionReason,
  retryRejectionReason,
} from '#projects/states/project'
import {
  findAppPort,
  loadProjectDomains,
  attachInstancesToProjects,
} from '#projects/queries/projects'
import { stacks } from '#projects/stacks'
import { projectAddresses } from '#projects/transformers/addresses'
import type { ProjectRow, ProjectView } from '#projects/transformers/page_props'
import { phpSettingsOf } from '#projects/virtual_host/php_pool'

const SECRET_MASK = '••••••••'

/** Requires `instance` to be loaded. */
export function projectRow(project: Project, domains: Domain[] | undefined): ProjectRow {
  const { id, name, path, stack, status, serverInstanceId, instance } = project
  return {
    id,
    name,
    path,
    stack,
    status,
    server_instance_id: serverInstanceId,
    server_instance: { name: instance.name, ip: instance.ip },
    addresses: projectAddresses(project, domains),
  }
}

export async function listNewestProjects(
  accountId: number,
  limit: number
): Promise<DashboardSectionRow[]> {
  const projects = await Project.live().where({ accountId }).orderBy('id', 'desc').limit(limit)
  await attachInstancesToProjects(projects)
  const domains = await loadProjectDomains(projects)
  return projects.map((project) => ({
    name: project.name,
    href: `/project/${project.id}`,
    status: project.status,
    note: projectAddresses(project, domains.get(project.id))[0]?.url ?? null,
  }))
}

/** Requires `instance` to be loaded. Never contains SSH keys or the instance's name in Incus. */
export async function projectView(
  actor: Actor,
  project: Project,
  newest: Operation | undefined
): Promise<ProjectView> {
  const { instance, virtualHost } = project
  const operation = newest && newest.status !== 'done' ? newest.describe() : null
  const domains = (await loadProjectDomains([project])).get(project.id)
  const projectDomainViews = await domainViews(domains ?? [])
  const others = virtualHost?.other_names ?? []
  return {
    ...projectRow(project, domains),
    server_instance: {
      name: instance.name,
      ip: instance.ip,
      instance_type: instance.instanceType,
      ports: instance.ports,
      username: instance.username,
      system_id: instance.systemId && SECRET_MASK,
      ssh_key: instance.sshKey && SECRET_MASK,
      status: instance.status,
    },
    virtual_host: virtualHost,
    php: phpSettingsOf(virtualHost),
    site_file: project.siteFile,
    site_error: project.siteError,
    port_barred: noHostPortsReason(instance),
    app_port: await findAppPort(project),
    has_processes: stacks[project.stack].process,
    domain:
      projectDomainViews.find(({ subdomain }) => subdomain === virtualHost?.subdomain) ?? null,
    // A deleted project has no domains.
    other_domains: (project.status === 'deleted' ? [] : others).map(({ name, use }) => ({
      name,
      use,
      domain: projectDomainViews.find(({ subdomain }) => subdomain === name) ?? null,
    })),
    barred: changeRejectionReason(actor, project),
    operation,
    retry: findRetryableOperationKind(newest)
      ? { reason: retryRejectionReason(actor, project) }
      : null,
    created_at: project.createdAt.toISO()!,
  }
}
