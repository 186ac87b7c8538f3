import { useState } from 'react'
import { router } from '@inertiajs/react'
import { Button, Code, Group, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { field } from '@ui/form_field'
import { NameInput } from '@ui/name_input'
import { call } from '~/call'

interface AddHostFormProps {
  onDone: () => void
  onCancel: () => void
}

/** Adds another machine that runs Incus, by the trust token that it gives. */
export function AddHostForm({ onDone, onCancel }: AddHostFormProps) {
  const [name, setName] = useState('')
  const [errors, setErrors] = useState<Record<string, string[]>>({})
  const [busy, setBusy] = useState(false)

  const add = async (form: HTMLFormElement) => {
    setBusy(true)
    const values = Object.fromEntries(
      [...new FormData(form)].map(([key, value]) => [key, String(value).trim()])
    )
    const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))
    const answer = await call('/admin/host-instance/store', { data: { ...given, name } })
    setBusy(false)
    setErrors(answer.errors)
    if (!answer.success) return
    onDone()
    router.reload()
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void add(event.currentTarget)
      }}
    >
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          On the other machine, run <Code>incus config trust add berth</Code> and paste the token
          that it prints. It can be used once.
        </Text>
        <NameInput
          label="Name"
          placeholder="host-2"
          required
          data-autofocus
          value={name}
          onChange={setName}
          {...field('name', errors)}
        />
        <Textarea
          label="Trust token"
          required
          autosize
          minRows={3}
          maxRows={6}
          autoComplete="off"
          spellCheck={false}
          styles={{ input: { fontFamily: 'var(--b-mono)', fontSize: 12 } }}
          {...field('token', errors)}
        />
        <TextInput
          label="Address of its Incus"
          description="Only when the addresses in the token cannot be reached from here"
          placeholder="203.0.113.7:8443"
          autoComplete="off"
          {...field('address', errors)}
        />
        <Group grow align="flex-start">
          <TextInput
            label="Public IP"
            description="Where customers connect to"
            placeholder="203.0.113.7"
            autoComplete="off"
            {...field('ip', errors)}
          />
          <TextInput
            label="Provider"
            description="Whose machine it is"
            autoComplete="off"
            {...field('provider', errors)}
          />
        </Group>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={busy}>
            Add host
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
