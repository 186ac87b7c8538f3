/** What other domains may use of projects. */
export { default as Project } from '#projects/models/project'
export { getProject } from '#projects/queries/projects'
