import Project from '#projects/models/project'

/** Also erases the environment variables of the projects. */
export async function markProjectsOfInstanceDeleted(serverInstanceId: number): Promise<void> {
  await Project.query().where({ serverInstanceId }).update({ status: 'deleted', environment: null })
}
