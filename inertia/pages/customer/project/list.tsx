import { useState } from 'react'
import { Head } from '@inertiajs/react'
import { Dialog } from '@ui/dialog'
import { DisabledReason } from '@ui/disabled_reason'
import { PageHeader } from '@ui/page_header'
import { ProjectForm } from '~/components/project/project_form'
import { ProjectList } from '~/components/project/project_list'
import type { ProjectListPage } from '~/components/project/types'

/** A customer's projects, and the form of a new one. */
export default function Projects(page: ProjectListPage) {
  const { serverInstances, projectStacks, webRoot } = page
  const [adding, setAdding] = useState(false)
  const usable = serverInstances.some(({ reason }) => !reason)
  const reason = usable ? null : 'A project needs an active server instance. Create one first.'
  const add = (
    <DisabledReason reason={reason} onClick={() => setAdding(true)}>
      Add New
    </DisabledReason>
  )

  return (
    <>
      <Head title="Projects / Sites" />
      <PageHeader
        title="Projects / Sites"
        hint="Sites and apps on your server instances: make one, give it an address, watch it run."
        action={add}
      />
      <ProjectList
        area="customer"
        page={page}
        empty={{
          title: 'No projects yet',
          hint: 'Choose an instance and an app stack; a starter page answers within a minute.',
          action: add,
        }}
      />
      <Dialog opened={adding} onClose={() => setAdding(false)} title="Add New Project">
        {adding && (
          <ProjectForm
            stacks={projectStacks}
            instances={serverInstances}
            webRoot={webRoot}
            path="/project/store"
            onDone={() => setAdding(false)}
          />
        )}
      </Dialog>
    </>
  )
}
