export { default as Project } from '#projects/models/project'
export { getProject } from '#projects/queries/projects'
