/** The API of the projects module for other modules. */
export { default as Project } from '#projects/models/project'
export { getProject } from '#projects/queries/projects'
