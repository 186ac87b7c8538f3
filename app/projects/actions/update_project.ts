import { claimProjectDomains, Domain, lookUpDomainProofs } from '#edge/public'
import type { Actor } from '#core/contracts/actor'
import { listOperationsOfSubject } from '#core/operations/operations'
import { invalid } from '#core/app_error'
import { withLockedProject } from '#projects/actions/with_locked_project'
import { siteTaken } from '#projects/errors'
import Project from '#projects/models/project'
import type { ProjectStatus } from '#projects/statuses'
import { projectSetupOperations } from '#projects/operations/set_up'
import { applyProjectStatusOperation } from '#projects/operations/apply_project_status'
import { serveVirtualHostOperation } from '#projects/operations/serve_virtual_host'
import { assertMaySetStatus, assertMayChange, noHostPortsReason } from '#projects/states/project'
import { isPortUsedByOtherProject } from '#projects/queries/projects'
import {
  siteDomainNames,
  apacheSiteFileName,
  sitePort,
  sitePortField,
  type VirtualHost,
} from '#projects/virtual_host/virtual_host_types'
import type { ProjectForm } from '#projects/validators/project'
import { type WordpressFields, wordpressAdminFrom } from '#projects/validators/wordpress'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/**
 * Also repeats a failed setup. If the path changes, a new folder is created, and files stay in the old one.
 * @param form `admin` returns the WordPress administrator. It is called only if this change sets up WordPress
 */
export function updateProject(
  actor: Actor,
  project: Project,
  form: ProjectForm & { admin: () => Promise<WordpressFields> },
  ip?: string
) {
  return withLockedProject(actor, project, {
    audited: 'project.update',
    title: `Setting up ${form.name}`,
    ip,
    async begin(row, trx) {
      assertMayChange(actor, row)
      const { name, path, stack, server_instance_id: serverInstanceId } = form
      if (serverInstanceId !== row.serverInstanceId) {
        throw invalid({
          server_instance_id:
            'A project cannot move to another server instance. Create a new project there.',
        })
      }
      const moves = path !== row.path || stack !== row.stack
      const [last] = await listOperationsOfSubject('project', row.id, 1, trx)
      const failed = last?.status === 'failed' && last.kind.startsWith('project.set_up.')
      const fresh = failed && path === row.path && last.state.fresh === true
      // Does not keep the administrator's password: WordPress is never installed into a folder that contains the
      // customer's files.
      const filled = failed && path === row.path && last.state.fresh === false
      row.merge({ name, path, stack })
      if (!moves && !failed) return null
      const admin = stack === 'wordpress' ? wordpressAdminFrom(await form.admin()) : null
      row.wordpressAdmin = filled ? null : admin
      return { kind: projectSetupOperations[stack], input: { projectId: row.id, fresh } }
    },
  })
}

/** An app that visitors reach at its own port has no Apache site. */
export async function updateVirtualHost(
  actor: Actor,
  project: Project,
  host: VirtualHost,
  ip?: string
) {
  const names = siteDomainNames(host)
  const proofs = await lookUpDomainProofs(names, project.accountId)
  return withLockedProject(actor, project, {
    audited: 'project.virtual_host',
    title: `Setting up the site of ${project.name}`,
    ip,
    async begin(row, trx) {
      assertMayChange(actor, row)
      const noPort = host.url_type === 'port' ? noHostPortsReason(row.instance) : null
      if (noPort) throw invalid({ url_type: noPort })
      const port = sitePort(host)
      if (port && (await isPortUsedByOtherProject(row, port, trx)))
        throw siteTaken(sitePortField(host))
      const siteFile = apacheSiteFileName(host)
      const other = await Project.live({ client: trx })
        .where({ serverInstanceId: row.serverInstanceId, siteFile: siteFile ?? '' })
        .whereNot('id', row.id)
        .first()
      if (other) throw siteTaken(host.url_type === 'port' ? 'url_port' : 'subdomain')
      const claims = names.map((name, index) => ({ name, field: domainField(index) }))
      await assertNotClaimedByOtherProject(row, claims, trx)
      await claimProjectDomains(row, claims, proofs, trx)
      await assertNotNamesOfOtherProject(row, claims, trx)
      const before = { virtualHost: row.virtualHost, siteFile: row.siteFile }
      row.merge({ virtualHost: host, siteFile })
      return { kind: serveVirtualHostOperation, input: { projectId: row.id, before } }
    },
  })
}

function domainField(index: number): string {
  return index === 0 ? 'subdomain' : `other_names.${index - 1}.name`
}

/**
 * A project that removes a domain keeps its claim until its operation has succeeded, because a failed operation
 * restores the domain.
 */
async function assertNotClaimedByOtherProject(
  { id, serverInstanceId }: Project,
  claims: { name: string; field: string }[],
  trx: TransactionClientContract
): Promise<void> {
  const names = claims.map(({ name }) => name)
  const domains = await Domain.query({ client: trx })
    .where({ serverInstanceId })
    .whereIn('subdomain', names)
    .whereNotNull('projectId')
    .whereNot('projectId', id)
  const owners = await Project.live({ client: trx }).whereIn(
    'id',
    domains.map(({ projectId }) => projectId!)
  )
  const taken = domains.find(({ projectId }) => owners.some((owner) => owner.id === projectId))
  const claim = claims.find(({ name }) => name === taken?.subdomain)
  if (claim) throw siteTaken(claim.field)
}

async function assertNotNamesOfOtherProject(
  { id, serverInstanceId }: Project,
  claims: { name: string; field: string }[],
  trx: TransactionClientContract
): Promise<void> {
  if (claims.length === 0) return
  const others = await Project.live({ client: trx })
    .where({ serverInstanceId })
    .whereNot('id', id)
    .whereNotNull('virtualHost')
  for (const { name, field } of claims)
    if (others.some(({ virtualHost }) => siteDomainNames(virtualHost).includes(name)))
      throw siteTaken(field)
}

/** Sets the status immediately, and starts an operation that updates the instance. `deleted` cannot be undone. */
export function changeProjectStatus(
  actor: Actor,
  project: Project,
  status: ProjectStatus,
  ip?: string
) {
  return withLockedProject(actor, project, {
    audited: 'project.status',
    title: `${status === 'active' ? 'Starting' : 'Stopping'} ${project.name}`,
    ip,
    async begin(row) {
      assertMaySetStatus(actor, row, status)
      if (row.status === status) return null
      row.status = status
      return { kind: applyProjectStatusOperation, input: { projectId: row.id } }
    },
  })
}
