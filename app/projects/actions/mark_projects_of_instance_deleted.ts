import Project from '#projects/models/project'

/** Marks the instance's projects as deleted and erases their environment variables. */
export async function markProjectsOfInstanceDeleted(serverInstanceId: number): Promise<void> {
  await Project.query().where({ serverInstanceId }).update({ status: 'deleted', environment: null })
}
