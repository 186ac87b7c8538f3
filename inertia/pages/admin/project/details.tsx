import { usePage } from '@inertiajs/react'
import { ProjectDetails } from '~/components/project/project_details'
import type { ProjectPage } from '~/components/project/types'
import type { SharedProps } from '~/types'

export default function Project(page: ProjectPage) {
  const { unavailable } = usePage<SharedProps>().props
  return <ProjectDetails page={page} area="admin" barred={unavailable?.['instances.change']} />
}
