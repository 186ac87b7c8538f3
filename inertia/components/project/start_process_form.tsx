import { useState } from 'react'
import { NativeSelect, TextInput } from '@mantine/core'
import { FormFrame } from '@ui/form_frame'
import { useApiForm } from '~/components/form/use_api_form'
import type { AreaPrefix } from '~/area_prefix'
import { EnvironmentFields } from './process_environment'
import type { ProjectView } from './types'
import type { EnvironmentEditor } from './use_environment_editor'

interface StartProcessFormProps {
  project: ProjectView
  webRoot: string
  base: `${AreaPrefix}/project/pm2`
  environment: EnvironmentEditor
  onDone: () => void
}

export function StartProcessForm({
  project,
  webRoot,
  base,
  environment,
  onDone,
}: StartProcessFormProps) {
  const [type, setType] = useState(project.stack === 'next' ? 'build' : 'nonBuild')
  const form = useApiForm({
    to: `${base}/start-new`,
    before: environment.settle,
    send: (fields) => ({
      ...Object.fromEntries(fields),
      server_instance_id: project.server_instance_id,
    }),
    onDone,
  })

  return (
    <FormFrame form={form} submit="Start process" onCancel={onDone}>
      <NativeSelect
        label="Type"
        required
        value={type}
        data={[
          { value: 'build', label: 'Build the app, then start it' },
          { value: 'nonBuild', label: 'Start a script without a build' },
          { value: 'command', label: 'Run a command, for example a Python app' },
        ]}
        onChange={({ currentTarget }) => setType(currentTarget.value)}
        {...form.field('type')}
      />
      <TextInput label="Name" readOnly value={project.name} {...form.field('name')} />
      {type === 'build' && (
        <NativeSelect
          label="Package Manager"
          description="The version is taken from package.json or the lock file. An app that uses Bun is built with Bun."
          required
          data={['npm', 'pnpm', 'yarn']}
          {...form.field('packageManager')}
        />
      )}
      {type === 'command' && (
        <TextInput
          label="Command"
          description="It runs without a shell. $PORT is the local port. For a program in .venv/bin, the packages of requirements.txt are installed first."
          required
          placeholder=".venv/bin/gunicorn --bind 127.0.0.1:$PORT app:app"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          {...form.field('command')}
        />
      )}
      {type !== 'nonBuild' ? (
        <TextInput
          label="Local Port"
          required
          inputMode="numeric"
          placeholder="3000"
          defaultValue={project.virtual_host?.reverse_proxy_port ?? ''}
          autoComplete="off"
          {...form.field('port')}
        />
      ) : (
        <TextInput
          label="Main Script"
          required
          placeholder="server.js"
          defaultValue={project.stack === 'node' ? 'server.js' : ''}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          {...form.field('script')}
        />
      )}
      <TextInput
        label="Project Path"
        required
        defaultValue={`${webRoot}/${project.path}`}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        {...form.field('projectPath')}
      />
      <EnvironmentFields environment={environment} />
    </FormFrame>
  )
}
