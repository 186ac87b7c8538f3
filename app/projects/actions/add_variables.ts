import { conflict } from '#core/app_error'
import type { AddEnvironmentVariablesRequest } from '#guest/public'
import { changeEnvironmentVariables } from '#projects/actions/change_environment_variables'
import Project from '#projects/models/project'
import { getProject } from '#projects/queries/projects'

/** Sorted by name. With `instanceId: null`, lists the projects of all the account's instances. */
export async function listLiveProjects(where: {
  accountId: number
  instanceId: number | null
}): Promise<{ id: number; name: string }[]> {
  const query = Project.live().where('accountId', where.accountId).orderBy('name')
  if (where.instanceId !== null) query.where('serverInstanceId', where.instanceId)
  return (await query).map(({ id, name }) => ({ id, name }))
}

/**
 * Keeps the project's other variables.
 * @throws 404 for another account's project, 409 if `instanceId` is set and the project is on
 * another instance
 */
export async function addVariablesToProject({
  actor,
  id,
  instanceId,
  variables,
  ip,
}: AddEnvironmentVariablesRequest): Promise<void> {
  const project = await getProject(actor, id)
  if (instanceId !== null && project.serverInstanceId !== instanceId) {
    throw conflict('This project is on another server instance, which cannot reach this database.')
  }
  await changeEnvironmentVariables(actor, project, { more: variables }, ip)
}
