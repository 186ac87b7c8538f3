import { useState } from 'react'
import { Alert, Button, Checkbox, Group, Stack, TextInput } from '@mantine/core'
import { CopyButton } from '@ui/copy_button'
import { fieldProps } from '@ui/form_field'
import { FormFrame } from '@ui/form_frame'
import { call } from '~/api_call'
import { DescriptionList } from '~/components/description_list'
import { noErrors, assignErrors } from '~/components/form/form_errors'

interface CreateWebhookFormProps {
  id: number
  events: Record<string, string>
  onDone: () => void
}

/** The secret is shown only once. */
export function CreateWebhookForm({ id, events, onDone }: CreateWebhookFormProps) {
  const [secret, setSecret] = useState<string | null>(null)
  const [selected, choose] = useState(['bounced', 'complained'])
  const [placed, setPlaced] = useState(noErrors)
  const [busy, setBusy] = useState(false)

  const submit = async (form: HTMLFormElement) => {
    setBusy(true)
    const answer = await call<{ secret: string }>('/email/webhook/store', {
      data: { id, url: new FormData(form).get('url'), events: selected },
      toasts: 'successes',
    })
    setBusy(false)
    if (answer.data) setSecret(answer.data.secret)
    else setPlaced(assignErrors(form, answer.errors, answer.message))
  }

  if (secret !== null) {
    return (
      <Stack gap="md">
        <Alert color="yellow" role="status" title="Copy the secret now">
          Your program uses this secret to verify that a call comes from us. It is not shown again.
        </Alert>
        <DescriptionList
          label="Webhook"
          rows={[
            {
              label: 'Secret',
              value: (
                <>
                  <span className="mono">{secret}</span>
                  <CopyButton value={secret} copied="Copied" what="secret" />
                </>
              ),
            },
          ]}
        />
        <Group justify="flex-end">
          <Button data-autofocus onClick={onDone}>
            Done
          </Button>
        </Group>
      </Stack>
    )
  }
  return (
    <FormFrame form={{ ...placed, busy, submit }} submit="Create webhook" onCancel={onDone}>
      <TextInput
        label="Address"
        placeholder="https://shop.example.com/mail-events"
        required
        maxLength={2_000}
        data-autofocus
        {...fieldProps('url', placed.errors)}
      />
      <Checkbox.Group
        label="Events to send"
        value={selected}
        onChange={choose}
        error={placed.errors.events}
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
