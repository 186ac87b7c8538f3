import { useState } from 'react'
import { Code, Group, Text, Textarea, TextInput } from '@mantine/core'
import { useApiForm } from '~/components/form/use_api_form'
import { FormFrame } from '@ui/form_frame'
import { NameInput } from '@ui/name_input'

export function AddHostForm({ onDone }: { onDone: () => void }) {
  const [name, setName] = useState('')
  const form = useApiForm({
    to: '/admin/host-instance/store',
    // Empty fields are omitted, so that the server chooses their values.
    send: (fields) =>
      Object.fromEntries(
        [...fields]
          .map(([key, value]) => [key, String(value).trim()])
          .filter(([, value]) => value !== '')
      ),
    onDone,
  })

  return (
    <FormFrame form={form} submit="Add host" onCancel={onDone}>
      <Text size="sm" c="dimmed">
        On the machine that you add, run <Code>incus config trust add berth</Code> and paste the
        token that it prints. Each token works once.
      </Text>
      <NameInput
        label="Name"
        placeholder="host-2"
        required
        data-autofocus
        value={name}
        onChange={setName}
        {...form.field('name')}
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
        {...form.field('token')}
      />
      <TextInput
        label="Incus address"
        description="Needed only if Berth cannot reach the addresses in the token"
        placeholder="203.0.113.7:8443"
        autoComplete="off"
        {...form.field('address')}
      />
      <Group grow align="flex-start">
        <TextInput
          label="Public IP"
          description="The IP address that customers connect to"
          placeholder="203.0.113.7"
          autoComplete="off"
          {...form.field('ip')}
        />
        <TextInput
          label="Provider"
          description="The company that you rent the machine from"
          autoComplete="off"
          {...form.field('provider')}
        />
      </Group>
    </FormFrame>
  )
}
