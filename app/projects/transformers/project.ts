import { Domain, domainViews } from '#compute/public'
import type { Actor } from '#core/contracts/actor'
import type Operation from '#core/models/operation'
import { failedKind } from '#projects/actions/retry_project'
import type Project from '#projects/models/project'
import { whyNotChange, whyNotRetry } from '#projects/policies/project_rules'
import { stacks } from '#projects/stacks'
import type { ProjectRow, ProjectView } from '#projects/transformers/pages'

/** Stands in pages for what is there but never leaves the server. */
const MASK = '••••••••'

/** Needs `instance` loaded. */
export function projectRow(project: Project): ProjectRow {
  const { id, name, path, stack, status, serverInstanceId, instance } = project
  return {
    ...{ id, name, path, stack, status },
    server_instance_id: serverInstanceId,
    server_instance: { name: instance.name, ip: instance.ip },
  }
}

/**
 * Needs `instance` loaded. Keys and names in Incus stay on the server.
 * @param newest the newest work on it
 */
export async function projectView(
  actor: Actor,
  project: Project,
  newest: Operation | undefined
): Promise<ProjectView> {
  const { instance, virtualHost } = project
  const operation = newest && newest.status !== 'done' ? newest.describe() : null
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
    domain: domain && (await domainViews([domain]))[0],
    barred: whyNotChange(actor, project),
    operation,
    retry: failedKind(newest) ? { reason: whyNotRetry(actor, project) } : null,
    created_at: project.createdAt.toISO()!,
  }
}
