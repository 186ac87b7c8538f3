import Project from '#projects/models/project'

/** The projects of an instance that is being deleted go with it, and what they were told in secret at once. */
export async function deleteProjectsOfInstance(serverInstanceId: number): Promise<void> {
  await Project.query().where({ serverInstanceId }).update({ status: 'deleted', environment: null })
}
