import Project from '#projects/models/project'

/** Also erases the projects' environment variables. */
export async function markProjectsOfInstanceDeleted(serverInstanceId: number): Promise<void> {
  await Project.query().where({ serverInstanceId }).update({ status: 'deleted', environment: null })
}
