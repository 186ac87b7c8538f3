import type { ProjectRow, ProjectView } from '#projects/transformers/project'

/** Instances that a new project can be put on. */
export interface InstanceChoice {
  id: number
  name: string
  ip: string | null
  instance_type: 'regular' | 'shared'
  /** Why it cannot be chosen now. */
  reason: string | null
}

/** `customer/project/list` and `admin/project/list` */
export interface ProjectListPage {
  page: number
  length: number
  count: number
  projects: ProjectRow[]
  projectStatus: Record<string, string>
  projectStacks: Record<string, string>
  counts: Record<string, number>
  /** Statuses that this person may give. */
  statusChoices: string[]
  serverInstances: InstanceChoice[]
}

/** `customer/project/details` and `admin/project/details` */
export interface ProjectPage {
  project: ProjectView
  projectStatus: Record<string, string>
  projectStacks: Record<string, string>
  serverInstances: InstanceChoice[]
}
