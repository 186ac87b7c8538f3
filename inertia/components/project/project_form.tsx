import { useState } from 'react'
import { usePage } from '@inertiajs/react'
import { Alert, NativeSelect, TextInput } from '@mantine/core'
import { FormFrame } from '@ui/form_frame'
import { useApiForm } from '~/components/form/use_api_form'
import type { NonGetRoutePath } from '#core/page_addresses'
import type { InstanceChoice, ProjectView } from './types'
import type { SharedProps } from '~/types'
import { WordpressFields } from './wordpress_fields'

interface ProjectFormProps {
  stacks: Record<string, string>
  instances: InstanceChoice[]
  /** The project to edit. Without a project, the form creates one. */
  project?: ProjectView
  /** Folder to which the project's path is relative. */
  webRoot: string
  path: NonGetRoutePath
  onDone: () => void
}

export function ProjectForm({
  stacks,
  instances,
  project,
  webRoot,
  path,
  onDone,
}: ProjectFormProps) {
  const [folder, setFolder] = useState(project?.path ?? '')
  const [stack, setStack] = useState(project?.stack ?? Object.keys(stacks)[0])
  const known: Omit<InstanceChoice, 'instance_type'>[] = instances.length
    ? instances
    : project
      ? [
          {
            id: project.server_instance_id,
            ...project.server_instance,
            warnings: {},
            reason: null,
          },
        ]
      : []

  const { user } = usePage<SharedProps>().props
  const usable = known.filter(({ reason }) => !reason)
  const preselected = usable.find(({ id }) => id === user?.default_instance_id) ?? usable[0]
  const [instance, setInstance] = useState(project?.server_instance_id ?? preselected?.id)
  const warning = known.find(({ id }) => id === instance)?.warnings[stack]

  // Whether saving the form may set up the stack in the folder. Only then the form of a WordPress site has fields for
  // its administrator.
  const installs =
    !project || project.stack !== stack || project.path !== folder || project.retry !== null

  const form = useApiForm({
    to: path,
    send: (fields) => ({
      ...(project && { id: project.id }),
      ...Object.fromEntries(fields),
      server_instance_id: project?.server_instance_id ?? Number(fields.get('server_instance_id')),
    }),
    onDone,
  })

  return (
    <FormFrame form={form} submit={project ? 'Save' : 'Create project'} onCancel={onDone}>
      <NativeSelect
        label="Server Instance"
        required
        disabled={Boolean(project)}
        value={instance}
        onChange={({ currentTarget: { value } }) => setInstance(Number(value))}
        data={known.map(({ id, name, ip, reason }) => ({
          value: String(id),
          label: [name, ip, reason && `(${reason})`].filter(Boolean).join(' · '),
          disabled: Boolean(reason) && !project,
        }))}
        {...form.field('server_instance_id')}
      />
      <NativeSelect
        label="App Stack"
        required
        value={stack}
        onChange={({ currentTarget: { value } }) => setStack(value)}
        data={Object.entries(stacks).map(([value, label]) => ({ value, label }))}
        {...form.field('stack')}
      />
      {warning && (
        <Alert color="yellow" role="status">
          {warning}
        </Alert>
      )}
      <TextInput
        label="Name"
        required
        maxLength={60}
        placeholder="Shop"
        autoComplete="off"
        defaultValue={project?.name}
        data-autofocus
        {...form.field('name')}
      />
      <TextInput
        label="Path"
        description={`${webRoot}/${folder.replace(/^\/+/, '') || '…'}`}
        required
        maxLength={200}
        placeholder="shop"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        value={folder}
        onChange={(event) => setFolder(event.currentTarget.value)}
        {...form.field('path')}
      />
      {stack === 'wordpress' && installs && <WordpressFields field={form.field} />}
    </FormFrame>
  )
}
