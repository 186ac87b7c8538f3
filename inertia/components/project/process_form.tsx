import { useState } from 'react'
import { NativeSelect, TextInput } from '@mantine/core'
import { FormFrame } from '@ui/form_frame'
import { useCallForm } from '~/components/form/use_call_form'
import type { Prefix } from '~/area'
import { EnvironmentFields } from './process_environment'
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
  const form = useCallForm({
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
        ]}
        onChange={({ currentTarget }) => setType(currentTarget.value)}
        {...form.field('type')}
      />
      <TextInput label="Name" readOnly value={project.name} {...form.field('name')} />
      {type === 'build' ? (
        <>
          <NativeSelect
            label="Package Manager"
            required
            data={['npm', 'pnpm', 'yarn']}
            {...form.field('packageManager')}
          />
          <TextInput
            label="Local Port"
            required
            inputMode="numeric"
            placeholder="3000"
            defaultValue={project.virtual_host?.reverse_proxy_port ?? ''}
            autoComplete="off"
            {...form.field('port')}
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
