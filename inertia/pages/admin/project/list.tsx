import { Head, usePage } from '@inertiajs/react'
import { PageHeader } from '@ui/page_header'
import { ProjectList } from '~/components/project/project_list'
import type { ProjectListPage } from '~/components/project/types'
import type { SharedProps } from '~/types'

export default function Projects(page: ProjectListPage) {
  const { unavailable } = usePage<SharedProps>().props
  return (
    <>
      <Head title="Projects" />
      <PageHeader title="Projects" hint="The projects of all customers, newest first." />
      <ProjectList
        area="admin"
        page={page}
        barred={unavailable?.['instances.change']}
        empty={{
          title: 'No projects yet',
          hint: 'Projects appear here as soon as a customer registers one.',
        }}
      />
    </>
  )
}
