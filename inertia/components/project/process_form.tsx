import { useState } from 'react'
import { Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core'
import { field } from '@ui/form_field'
import type { Prefix } from '~/area'
import { useCall } from '~/components/use_call'
import { ProcessEnvironment } from './process_environment'
import type { ProjectView } from './types'
import type { Environment } from './use_environment'

interface ProcessFormProps {
  project: ProjectView
  /** what its path is relative to */
  webRoot: string
  base: `${Prefix}/project/pm2`
  environment: Environment
  onDone: () => void
}

/** Starts the process of a project: with a build before, or a script as it is. */
export function ProcessForm({ project, webRoot, base, environment, onDone }: ProcessFormProps) {
  const [type, setType] = useState(project.stack === 'next' ? 'build' : 'nonBuild')
  const [errors, setErrors] = useState<Record<string, string[]>>({})
  const { busy, run } = useCall()

  const start = async (form: FormData) => {
    if (!(await environment.settle())) return
    const answer = await run(`${base}/start-new`, {
      ...Object.fromEntries(form),
      server_instance_id: project.server_instance_id,
    })
    setErrors(answer.errors)
    if (answer.success) onDone()
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void start(new FormData(event.currentTarget))
      }}
    >
      <Stack gap="md">
        <NativeSelect
          label="Type"
          required
          value={type}
          data={[
            { value: 'build', label: 'Build' },
            { value: 'nonBuild', label: 'Non build' },
          ]}
          onChange={({ currentTarget }) => setType(currentTarget.value)}
          {...field('type', errors)}
        />
        <TextInput label="Name" readOnly value={project.name} {...field('name', errors)} />
        {type === 'build' ? (
          <>
            <NativeSelect
              label="Package Manager"
              required
              data={['npm', 'pnpm', 'yarn']}
              {...field('packageManager', errors)}
            />
            <TextInput
              label="Local Port"
              required
              inputMode="numeric"
              placeholder="3000"
              defaultValue={project.virtual_host?.reverse_proxy_port ?? ''}
              autoComplete="off"
              {...field('port', errors)}
            />
          </>
        ) : (
          <TextInput
            label="Main Script"
            required
            placeholder="server.js"
            defaultValue={project.stack === 'node' ? 'server.js' : ''}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            {...field('script', errors)}
          />
        )}
        <TextInput
          label="Project Path"
          required
          defaultValue={`${webRoot}/${project.path}`}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          {...field('projectPath', errors)}
        />
        <ProcessEnvironment environment={environment} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onDone}>
            Cancel
          </Button>
          <Button type="submit" loading={busy !== null}>
            Start process
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
