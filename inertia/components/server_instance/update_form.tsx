import { useState } from 'react'
import { Group, NativeSelect, Textarea, TextInput } from '@mantine/core'
import { checkTypedName } from '~/components/check_typed_name'
import { useApiForm } from '~/components/form/use_api_form'
import { ConfirmNameInput } from '@ui/confirm_name_input'
import { FormFrame } from '@ui/form_frame'
import { ResizeComparison, listSizeOptions } from './resize_comparison'
import type { AdminInstanceView, PackageWithAvailabilityView } from './types'

/** Returns one `name: number` per line. */
export function formatPorts(ports: Record<string, number>) {
  return Object.entries(ports)
    .map(([name, port]) => `${name}: ${port}`)
    .join('\n')
}

export function parsePorts(text: string): Record<string, number> | null {
  const ports: Record<string, number> = {}
  for (const line of text.split('\n')) {
    if (!line.trim()) continue
    const [, name, port] = /^\s*([\w-]+)\s*[:=]?\s*(\d{1,5})\s*$/u.exec(line) ?? []
    if (!name || Number(port) < 1 || Number(port) > 65_535) return null
    ports[name] = Number(port)
  }
  return ports
}

interface UpdateFormProps {
  instance: AdminInstanceView
  packages: PackageWithAvailabilityView[]
  onDone: () => void
}

export function UpdateForm({ instance, packages, onDone }: UpdateFormProps) {
  const { id, name } = instance
  const sizes = listSizeOptions(instance, packages)
  const [size, setSize] = useState(sizes[0]!.key)
  const selected = sizes.find(({ key }) => key === size) ?? sizes[0]!
  const form = useApiForm({
    to: '/admin/server-instance/update',
    check: (fields) => ({
      ...(parsePorts(String(fields.get('ports'))) === null && {
        ports: 'Each line needs a name and a port, like "ssh: 20001".',
      }),
      ...checkTypedName(fields, name, 'confirm_name'),
    }),
    send: (fields) => ({
      id,
      server_package_id: selected.option.id,
      package_version: selected.option.version,
      ip: String(fields.get('ip')).trim(),
      // null removes the user name. Without a system ID, the server keeps the current one.
      username: String(fields.get('username')).trim() || null,
      system_id: String(fields.get('system_id')).trim() || undefined,
      ports: parsePorts(String(fields.get('ports'))),
      confirm_name: fields.get('confirm_name'),
    }),
    onDone,
  })

  return (
    <FormFrame form={form} submit="Update" onCancel={onDone}>
      <NativeSelect
        label="Package"
        value={selected.key}
        onChange={(event) => setSize(event.currentTarget.value)}
        data={sizes.map(({ key, label, reason }) => ({
          value: key,
          label,
          disabled: reason !== null,
        }))}
        {...form.field('server_package_id')}
      />
      {selected !== sizes[0] && <ResizeComparison instance={instance} selected={selected.option} />}
      <Group grow align="flex-start">
        <TextInput label="IP" defaultValue={instance.ip ?? ''} {...form.field('ip')} />
        <TextInput
          label="Username"
          defaultValue={instance.username ?? ''}
          autoComplete="off"
          {...form.field('username')}
        />
      </Group>
      <TextInput
        label="System id"
        defaultValue={instance.system_id ?? ''}
        autoComplete="off"
        {...form.field('system_id')}
      />
      <Textarea
        label="Ports"
        description="One port per line: its name and the port on the host"
        autosize
        minRows={2}
        maxRows={8}
        defaultValue={formatPorts(instance.ports)}
        styles={{ input: { fontFamily: 'var(--b-mono)', fontSize: 13 } }}
        {...form.field('ports')}
      />
      <ConfirmNameInput of={name} {...form.field('confirm_name')} />
    </FormFrame>
  )
}
