import { ProjectDetails } from '~/components/project/project_details'
import type { ProjectPage } from '~/components/project/types'

/** One of a customer's projects. */
export default function Project(page: ProjectPage) {
  return <ProjectDetails page={page} area="customer" />
}
