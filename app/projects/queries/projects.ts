import { ServerInstance } from '#compute/public'
import type { Actor } from '#core/contracts/actor'
import Operation from '#core/models/operation'
import { notFound } from '#core/refusal'
import Project from '#projects/models/project'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/** The projects that a person may reach: customers their own, staff all; deleted ones too. */
export function projectsOf(actor: Actor, trx?: TransactionClientContract) {
  const query = Project.query({ client: trx })
  return actor.audience === 'staff' ? query : query.where('projects.customer_id', actor.id)
}

/** The project with its instance, or the same 404 for unknown and other people's. */
export async function findProject(actor: Actor, id: unknown): Promise<Project> {
  const key = projectId(id)
  const project = key ? await projectsOf(actor).where('id', key).preload('instance').first() : null
  if (!project) throw notFound('project')
  return project
}

/** The project that a folder belongs to: the innermost one that is not deleted. */
export async function projectAt(serverInstanceId: number, path: string): Promise<Project | null> {
  const parts = path.split('/')
  const above = parts.map((_part, index) => parts.slice(0, index + 1).join('/'))
  return Project.query()
    .where({ serverInstanceId })
    .whereIn('path', above)
    .whereNot('status', 'deleted')
    .orderByRaw('length(path) desc')
    .first()
}

/** A positive whole number that PostgreSQL can hold; null for anything else. */
export function projectId(value: unknown): number | null {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string' || !/^[1-9]\d{0,14}$/.test(text)) return null
  return Number(text)
}

/** What pages name a project's work by. */
export function subjectOf(project: Pick<Project, 'id'>) {
  return { type: 'project', id: project.id }
}

/** Whether work on it is under way. */
export async function isBusy(
  project: Pick<Project, 'id'>,
  trx?: TransactionClientContract
): Promise<boolean> {
  const open = await Operation.query({ client: trx })
    .where({ subjectType: 'project', subjectId: String(project.id) })
    .whereIn('status', ['queued', 'running'])
    .first()
  return Boolean(open)
}

/** Loads the instances of a page of projects: its query counts as well, which preloading cannot. */
export async function loadInstances(projects: Project[]): Promise<void> {
  const ids = [...new Set(projects.map(({ serverInstanceId }) => serverInstanceId))]
  const instances = await ServerInstance.query().whereIn('id', ids)
  const byId = new Map(instances.map((instance) => [instance.id, instance]))
  for (const project of projects) {
    project.$setRelated('instance', byId.get(project.serverInstanceId)!)
  }
}
