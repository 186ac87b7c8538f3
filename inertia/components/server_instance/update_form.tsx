import { useState } from 'react'
import { Alert, Button, Group, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { field } from '@ui/form_field'
import { useCall } from '~/components/use_call'
import { NAME_MISMATCH } from './delete_instance'
import { SizeChange, sizeChoices } from './size_change'
import type { AdminInstanceView, OfferView } from './types'

/** Ports as text, one `name: number` a line, and back; null where a line is not of that form. */
export function portsToText(ports: Record<string, number>) {
  return Object.entries(ports)
    .map(([name, port]) => `${name}: ${port}`)
    .join('\n')
}

export function portsFromText(text: string): Record<string, number> | null {
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
  packages: OfferView[]
  onDone: () => void
}

/** Edits what is recorded of an instance; its name must be typed to confirm. */
export function UpdateForm({ instance, packages, onDone }: UpdateFormProps) {
  const { id, name } = instance
  const [typed, setTyped] = useState('')
  const [errors, setErrors] = useState<Record<string, string[]>>({})
  const [alert, setAlert] = useState<string | null>(null)
  const { busy, run } = useCall()
  const sizes = sizeChoices(instance, packages)
  const [size, setSize] = useState(sizes[0]!.key)
  const chosen = sizes.find(({ key }) => key === size) ?? sizes[0]!

  const update = async (form: FormData) => {
    if (typed !== name) return setAlert(NAME_MISMATCH)
    const ports = portsFromText(String(form.get('ports')))
    if (!ports)
      return setErrors({ ports: ['Each line needs a name and a port, like "ssh: 20001".'] })
    setAlert(null)
    const answer = await run('/admin/server-instance/update', {
      id,
      server_package_id: chosen.option.id,
      package_version: chosen.option.version,
      ip: String(form.get('ip')).trim(),
      // What is not set yet may stay so.
      username: String(form.get('username')).trim() || null,
      system_id: String(form.get('system_id')).trim() || undefined,
      ports,
      confirm_name: typed,
    })
    setErrors(answer.errors)
    if (answer.success) onDone()
  }

  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void update(new FormData(event.currentTarget))
      }}
    >
      <Stack gap="md">
        <NativeSelect
          label="Package"
          value={chosen.key}
          onChange={(event) => setSize(event.currentTarget.value)}
          data={sizes.map(({ key, label, reason }) => ({
            value: key,
            label,
            disabled: reason !== null,
          }))}
          {...field('server_package_id', errors)}
        />
        {chosen !== sizes[0] && <SizeChange instance={instance} chosen={chosen.option} />}
        <Group grow align="flex-start">
          <TextInput label="IP" defaultValue={instance.ip ?? ''} {...field('ip', errors)} />
          <TextInput
            label="Username"
            defaultValue={instance.username ?? ''}
            autoComplete="off"
            {...field('username', errors)}
          />
        </Group>
        <TextInput
          label="System id"
          defaultValue={instance.system_id ?? ''}
          autoComplete="off"
          {...field('system_id', errors)}
        />
        <Textarea
          label="Ports"
          description="One a line: name and port of the host"
          autosize
          minRows={2}
          maxRows={8}
          defaultValue={portsToText(instance.ports)}
          styles={{ input: { fontFamily: 'var(--b-mono)', fontSize: 13 } }}
          {...field('ports', errors)}
        />
        <TextInput
          label={
            <>
              Type <code>{name}</code> to confirm
            </>
          }
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value)
            setAlert(null)
          }}
          {...field('confirm_name', errors)}
        />
        {alert && (
          <Alert color="red" role="alert">
            <Text size="sm">{alert}</Text>
          </Alert>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onDone}>
            Cancel
          </Button>
          <Button type="submit" loading={busy !== null}>
            Update
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
