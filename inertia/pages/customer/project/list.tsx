import { Head } from '@inertiajs/react'
import { Dialog } from '@ui/dialog'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { PageHeader } from '@ui/page_header'
import { useDialogFromUrl } from '~/components/use_dialog_from_url'
import { LinkButton } from '~/components/link_button'
import { ProjectForm } from '~/components/project/project_form'
import { ProjectList } from '~/components/project/project_list'
import type { ProjectListPage } from '~/components/project/types'

export default function Projects(page: ProjectListPage) {
  const { serverInstances, projectStacks, webRoot } = page
  const usable = serverInstances.some(({ reason }) => !reason)
  const [adding, setAdding] = useDialogFromUrl('add', usable)
  const reason = usable ? null : 'A project needs an active server instance. Create one first.'
  const add = (
    <ButtonWithDisabledReason reason={reason} onClick={() => setAdding(true)}>
      Add New
    </ButtonWithDisabledReason>
  )
  const next = serverInstances.length ? (
    <LinkButton href="/server-instance/list">View your instances</LinkButton>
  ) : (
    <LinkButton href="/server-instance/list?add=1">Create New Instance</LinkButton>
  )

  return (
    <>
      <Head title="Projects / Sites" />
      <PageHeader
        title="Projects / Sites"
        hint="Sites and apps on your server instances. Create a project, set its address, and monitor it."
        action={add}
      />
      <ProjectList
        area="customer"
        page={page}
        empty={{
          title: 'No projects yet',
          hint:
            reason ??
            'Choose an instance and an app stack. Berth installs what the project needs and puts it online.',
          action: reason ? next : add,
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
