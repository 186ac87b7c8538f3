import { useState } from 'react'
import { Alert, NativeSelect, Text, TextInput } from '@mantine/core'
import { FormFrame } from '@ui/form_frame'
import { useApiForm } from '~/components/form/use_api_form'
import type { AreaPrefix } from '~/area_prefix'
import { type PhpFormValues, toPhpFormValues, PhpFields } from './php_fields'
import {
  type DomainFormValues,
  AdditionalDomainFields,
  toDomainFormValues,
} from './additional_domain_fields'
import type { ProjectView, VirtualHost } from './types'

export const virtualHostTypeLabels: Record<VirtualHost['type'], string> = {
  static: 'Static',
  php: 'PHP',
  node: 'Node',
  reverse_proxy: 'Reverse Proxy',
}

const virtualHostTypeHints: Record<VirtualHost['type'], string> = {
  static: 'Serves files unchanged',
  php: 'Serves PHP and files',
  node: 'Serves the files of a built app (dist, build). Unknown paths show index.html.',
  reverse_proxy: 'Forwards to a running app on its port',
}

export const urlTypeLabels: Record<VirtualHost['url_type'], string> = {
  subdomain: 'Subdomain',
  port: 'IP / Port',
}

const defaultTypes: Record<ProjectView['stack'], VirtualHost['type']> = {
  static: 'static',
  php: 'php',
  wordpress: 'php',
  node: 'reverse_proxy',
  next: 'reverse_proxy',
}

export function configFileName({
  url_type: type,
  url_port: port,
  subdomain,
}: VirtualHostFormValues) {
  if (type === 'port') return port ? `port_${port}.conf` : 'port_{port}.conf'
  return subdomain ? `${subdomain.trim().toLowerCase()}.conf` : ''
}

interface VirtualHostFormValues extends PhpFormValues, DomainFormValues {
  type: VirtualHost['type']
  url_type: VirtualHost['url_type']
  server_admin: string
  entry_point: string
  reverse_proxy_port: string
  subdomain: string
  url_port: string
}

function toFormValues(project: ProjectView): VirtualHostFormValues {
  const { stack, virtual_host: host, app_port: appPort } = project
  const proxyPort = host?.reverse_proxy_port ?? appPort
  return {
    ...toPhpFormValues(project),
    ...toDomainFormValues(host),
    type: host?.type ?? defaultTypes[stack],
    url_type: host?.url_type ?? 'subdomain',
    server_admin: host?.server_admin ?? '',
    entry_point: host?.entry_point ?? '',
    reverse_proxy_port: proxyPort ? String(proxyPort) : '',
    subdomain: host?.subdomain ?? '',
    url_port: host?.url_port ? String(host.url_port) : '',
  }
}

interface VirtualHostFormProps {
  project: ProjectView
  prefix: AreaPrefix
  onDone: () => void
}

export function VirtualHostForm({ project, prefix, onDone }: VirtualHostFormProps) {
  const [draft, setDraft] = useState(() => toFormValues(project))
  const form = useApiForm({
    to: `${prefix}/project/update`,
    send: () => ({ id: project.id, virtual_host: draft }),
    onDone,
  })
  const set = (change: Partial<VirtualHostFormValues>) => setDraft({ ...draft, ...change })
  const proxy = draft.type === 'reverse_proxy'
  const byPort = draft.url_type === 'port'
  const nothing = proxy && byPort
  const { port_barred: noPort } = project
  const file = nothing ? '' : configFileName(draft)

  const text = (name: Exclude<keyof VirtualHostFormValues, keyof DomainFormValues>) => ({
    value: draft[name],
    onChange: (event: { currentTarget: { value: string } }) =>
      set({ [name]: event.currentTarget.value }),
    autoComplete: 'off',
    autoCapitalize: 'none',
    spellCheck: false,
    ...form.field(name),
  })

  return (
    <FormFrame form={form} submit="Save" onCancel={onDone}>
      <NativeSelect
        label="Type"
        required
        data={Object.entries(virtualHostTypeLabels).map(([value, label]) => ({ value, label }))}
        value={draft.type}
        onChange={({ currentTarget }) =>
          set({ type: currentTarget.value as VirtualHostFormValues['type'] })
        }
        description={virtualHostTypeHints[draft.type]}
        {...form.field('type')}
      />
      <NativeSelect
        label="Url Type"
        required
        data={Object.entries(urlTypeLabels).map(([value, label]) => ({
          value,
          label,
          disabled: value === 'port' && noPort !== null,
        }))}
        description={noPort}
        value={draft.url_type}
        onChange={({ currentTarget }) =>
          set({ url_type: currentTarget.value as VirtualHostFormValues['url_type'] })
        }
        {...form.field('url_type')}
      />
      {nothing && (
        <Alert>
          No configuration is needed: a port of the server forwards to the port of the app. The app
          must listen on 0.0.0.0.
        </Alert>
      )}
      <TextInput
        label="Server Admin Email"
        type="email"
        required
        placeholder="admin@example.com"
        {...text('server_admin')}
      />
      {!proxy && (
        <TextInput
          label="Entry Point"
          placeholder="public"
          description="A folder inside the project. Leave empty to serve the whole project."
          {...text('entry_point')}
        />
      )}
      {proxy && (
        <TextInput
          label="Reverse Proxy Port"
          required
          inputMode="numeric"
          placeholder="3000"
          description="The port that the app listens on"
          {...text('reverse_proxy_port')}
        />
      )}
      {!byPort && (
        <>
          <TextInput
            label="Domain"
            required
            placeholder="shop.example.com"
            {...text('subdomain')}
          />
          <AdditionalDomainFields
            main={draft.subdomain}
            draft={draft}
            set={set}
            field={form.field}
          />
        </>
      )}
      {byPort && !proxy && (
        <TextInput
          label="Port"
          required
          inputMode="numeric"
          placeholder="8080"
          description="The port inside the instance. Visitors use another port, which the project's address shows after you save."
          {...text('url_port')}
        />
      )}
      {draft.type === 'php' && (
        <PhpFields
          draft={draft}
          set={set}
          field={form.field}
          path={`${prefix}/project/${project.id}/php`}
        />
      )}
      {file && (
        <Text size="sm" c="dimmed">
          Config file: <code>{file}</code>
        </Text>
      )}
    </FormFrame>
  )
}
