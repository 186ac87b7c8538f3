import { GitControls } from '~/components/git/git_controls'
import { ProjectDetails } from '~/components/project/project_details'
import type { ProjectPage } from '~/components/project/types'

export default function Project(page: ProjectPage) {
  const { id, path, server_instance_id: serverInstanceId, status } = page.project
  return (
    <ProjectDetails
      page={page}
      area="customer"
      controls={
        status !== 'deleted' && (
          <GitControls path={path} serverInstanceId={serverInstanceId} projectId={id} />
        )
      }
    />
  )
}
