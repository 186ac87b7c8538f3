import { useState } from 'react'
import { Alert, Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core'
import { field } from '@ui/form_field'
import type { ChangeAddress } from '~/addresses'
import { useCall } from '~/components/use_call'
import type { InstanceChoice, ProjectView } from './types'

interface ProjectFormProps {
  stacks: Record<string, string>
  instances: InstanceChoice[]
  /** the project to edit; a new one without */
  project?: ProjectView
  /** what its path is relative to */
  webRoot: string
  /** the call that saves it */
  path: ChangeAddress
  onDone: () => void
}

/** Makes or edits a project. */
export function ProjectForm({
  stacks,
  instances,
  project,
  webRoot,
  path,
  onDone,
}: ProjectFormProps) {
  const [errors, setErrors] = useState<Record<string, string[]>>({})
  const [folder, setFolder] = useState(project?.path ?? '')
  const [stack, setStack] = useState(project?.stack ?? Object.keys(stacks)[0])
  const { busy, run } = useCall()
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

  const usable = known.find(({ reason }) => !reason)?.id
  const [instance, setInstance] = useState(project?.server_instance_id ?? usable)
  const warning = known.find(({ id }) => id === instance)?.warnings[stack]

  const save = async (form: FormData) => {
    const answer = await run(path, {
      ...(project && { id: project.id }),
      name: form.get('name'),
      path: form.get('path'),
      stack: form.get('stack'),
      server_instance_id: project?.server_instance_id ?? Number(form.get('server_instance_id')),
    })
    setErrors(answer.errors)
    if (answer.success) onDone()
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void save(new FormData(event.currentTarget))
      }}
    >
      <Stack gap="md">
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
          {...field('server_instance_id', errors)}
        />
        <NativeSelect
          label="App Stack"
          required
          value={stack}
          onChange={({ currentTarget: { value } }) => setStack(value)}
          data={Object.entries(stacks).map(([value, label]) => ({ value, label }))}
          {...field('stack', errors)}
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
          {...field('name', errors)}
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
          {...field('path', errors)}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onDone}>
            Cancel
          </Button>
          <Button type="submit" loading={busy !== null}>
            {project ? 'Save' : 'Create project'}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
