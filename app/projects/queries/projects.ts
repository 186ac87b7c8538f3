import type { AccountResourceRow } from '#accounts/public'
import { Domain } from '#edge/public'
import { ServerInstance } from '#instances/public'
import { accountIdOf, type Actor } from '#core/contracts/actor'
import Operation, { UNFINISHED_STATUSES } from '#core/models/operation'
import { listOperationsOfSubject } from '#core/operations/operations'
import { notFound } from '#core/app_error'
import Project from '#projects/models/project'
import { siteDomainNames, sitePort } from '#projects/virtual_host/virtual_host_types'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/** Queries projects that the person may see: customers their account's, staff all. Includes deleted projects. */
export function projectsVisibleTo(actor: Actor, trx?: TransactionClientContract) {
  const query = Project.query({ client: trx })
  return actor.audience === 'staff' ? query : query.where('projects.account_id', accountIdOf(actor))
}

export function liveProjectsVisibleTo(actor: Actor) {
  const query = Project.live()
  return actor.audience === 'staff' ? query : query.where('projects.account_id', accountIdOf(actor))
}

/**
 * Loads a project with its instance.
 * @throws 404 for unknown projects, and the same error for those of other accounts
 */
export async function getProject(actor: Actor, id: unknown): Promise<Project> {
  const key = parseProjectId(id)
  const project = key
    ? await projectsVisibleTo(actor).where('id', key).preload('instance').first()
    : null
  if (!project) throw notFound('project')
  return project
}

/** Finds the innermost project that contains the path and is not deleted. */
export async function findProjectByPath(
  serverInstanceId: number,
  path: string
): Promise<Project | null> {
  const parts = path.split('/')
  const above = parts.map((_part, index) => parts.slice(0, index + 1).join('/'))
  return Project.live()
    .where({ serverInstanceId })
    .whereIn('path', above)
    .orderByRaw('length(path) desc')
    .first()
}

/** Returns null unless the value is a positive integer that PostgreSQL can store. */
export function parseProjectId(value: unknown): number | null {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string' || !/^[1-9]\d{0,14}$/.test(text)) return null
  return Number(text)
}

export function projectOperationSubject(project: Pick<Project, 'id'>) {
  return { type: 'project', id: project.id }
}

/** Unfinished: queued, running or stuck. */
export async function hasUnfinishedOperation(
  project: Pick<Project, 'id'>,
  trx?: TransactionClientContract
): Promise<boolean> {
  const open = await Operation.query({ client: trx })
    .where({ subjectType: 'project', subjectId: String(project.id) })
    .whereIn('status', UNFINISHED_STATUSES)
    .first()
  return Boolean(open)
}

/**
 * Finds the unfinished deletion that was requested first.
 * @param except id of a project to ignore
 */
export function findDeletionInProgress(
  serverInstanceId: number,
  except = 0
): Promise<Project | null> {
  return Project.query()
    .where({ serverInstanceId, status: 'deleted' })
    .whereNot('id', except)
    .whereExists((query) =>
      query
        .from('operations')
        .where('subject_type', 'project')
        .whereRaw('subject_id = projects.id::text')
        .whereIn('status', UNFINISHED_STATUSES)
    )
    .orderBy('updatedAt')
    .first()
}

/** The list's query also counts rows, so it cannot preload the instances. */
export async function attachInstancesToProjects(projects: Project[]): Promise<void> {
  const ids = [...new Set(projects.map(({ serverInstanceId }) => serverInstanceId))]
  const instances = await ServerInstance.query().whereIn('id', ids)
  const byId = new Map(instances.map((instance) => [instance.id, instance]))
  for (const project of projects) {
    project.$setRelated('instance', byId.get(project.serverInstanceId)!)
  }
}

export async function isPortUsedByOtherProject(
  { id, serverInstanceId }: Pick<Project, 'id' | 'serverInstanceId'>,
  port: number,
  trx?: TransactionClientContract
): Promise<boolean> {
  const others = await Project.live({ client: trx })
    .where({ serverInstanceId })
    .whereNot('id', id)
    .where((query) =>
      query.whereRaw(`virtual_host ->> 'url_type' = 'port'`).orWhere('previewPort', port)
    )
    .select('virtualHost', 'previewPort')
  return others.some(
    ({ virtualHost, previewPort }) =>
      port === previewPort || (virtualHost && port === sitePort(virtualHost))
  )
}

export async function findAppPort(project: Pick<Project, 'id'>): Promise<number | null> {
  const works = await listOperationsOfSubject('project', project.id, 20)
  const ports = works.map(({ input, result, state }) =>
    Number(input.port ?? result?.port ?? state.port)
  )
  return ports.find((port) => port > 0) ?? null
}

/**
 * Returns the domains that exist for each project, by project id, in the order of `siteDomainNames`. The map has no
 * entry for projects without domains.
 */
export async function loadProjectDomains(projects: Project[]): Promise<Map<number, Domain[]>> {
  const names = projects.flatMap(({ virtualHost }) => siteDomainNames(virtualHost))
  const domains = names.length ? await Domain.query().whereIn('subdomain', names) : []
  const matches = projects.map((project) => {
    const isOfProject = ({ serverInstanceId, projectId }: Domain) =>
      serverInstanceId === project.serverInstanceId &&
      (projectId === null || projectId === project.id)
    const found = siteDomainNames(project.virtualHost).map((name) =>
      domains.find((domain) => domain.subdomain === name && isOfProject(domain))
    )
    return [project.id, found.filter((domain) => domain !== undefined)] as const
  })
  return new Map(matches.filter(([, found]) => found.length > 0))
}

export async function countProjectsOfAccount(accountId: number): Promise<number> {
  const [row] = await Project.live().where({ accountId }).count('* as total')
  return Number(row.$extras.total)
}

export async function listProjectsOfAccount(accountId: number): Promise<AccountResourceRow[]> {
  const rows = await Project.live().where({ accountId }).orderBy('id', 'desc')
  return rows.map(({ id, name, status }) => ({
    id,
    name,
    status,
    href: `/admin/project/${id}`,
  }))
}
