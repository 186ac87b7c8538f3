import { useState } from 'react'
import { Checkbox, Stack, TextInput } from '@mantine/core'
import { CopyableText } from '@ui/copyable_text'
import { FormFrame } from '@ui/form_frame'
import { useApiForm } from '~/components/form/use_api_form'
import { NewSecret } from '~/components/new_secret'

interface CreateWebhookFormProps {
  id: number
  events: Record<string, string>
  onDone: () => void
}

export function CreateWebhookForm({ id, events, onDone }: CreateWebhookFormProps) {
  const [secret, setSecret] = useState<string | null>(null)
  const [selected, choose] = useState(['bounced', 'complained'])
  const form = useApiForm({
    to: '/email/webhook/store',
    send: (fields) => ({ id, url: fields.get('url'), events: selected }),
    onDone: (data) => setSecret((data as { secret: string }).secret),
  })

  if (secret !== null) {
    return (
      <NewSecret
        advice="Your program uses this secret to verify that a call comes from us. It is not shown again."
        label="Webhook"
        rows={[{ label: 'Secret', value: <CopyableText text={secret} what="secret" /> }]}
        onDone={onDone}
      />
    )
  }
  return (
    <FormFrame form={form} submit="Create webhook" onCancel={onDone}>
      <TextInput
        label="Address"
        placeholder="https://shop.example.com/mail-events"
        required
        maxLength={2_000}
        data-autofocus
        {...form.field('url')}
      />
      <Checkbox.Group
        label="Events to send"
        value={selected}
        onChange={choose}
        error={form.errors.events}
      >
        <Stack gap={6} mt={6}>
          {Object.entries(events).map(([event, label]) => (
            <Checkbox key={event} value={event} label={label} />
          ))}
        </Stack>
      </Checkbox.Group>
    </FormFrame>
  )
}
