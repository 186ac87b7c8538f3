import { useState } from 'react'
import { Alert, Button, Checkbox, Group, Stack, Text } from '@mantine/core'
import { CopyButton } from '@ui/copy_button'
import { DateText } from '@ui/date_text'
import { Dialog } from '@ui/dialog'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { FormFrame } from '@ui/form_frame'
import { call } from '~/api_call'
import { noErrors, assignErrors } from '~/components/form/form_errors'
import { DescriptionList } from '~/components/description_list'
import { reloadChangingProps } from '~/components/live/reload_changing_props'
import type { CourierEventsPage } from './types'

interface CourierWebhookSecretProps {
  secret: CourierEventsPage['secret']
  overlapHours: number
  barred: string | null
}

/** Berth and Auto Courier both sign with the secret. It is shown once. */
export function CourierWebhookSecret({ secret, overlapHours, barred }: CourierWebhookSecretProps) {
  const [opened, open] = useState(false)
  const close = () => {
    open(false)
    reloadChangingProps()
  }
  return (
    <Stack gap="sm" align="flex-start">
      <Text size="sm">
        {secret.since ? (
          <>
            Created <DateText value={secret.since} />.
          </>
        ) : (
          'No secret yet: calls are rejected and no events are sent.'
        )}
        {secret.before_ends && (
          <>
            {' '}
            The previous secret works until <DateText value={secret.before_ends} />.
          </>
        )}
      </Text>
      <ButtonWithDisabledReason variant="default" reason={barred} onClick={() => open(true)}>
        {secret.since ? 'Change secret' : 'Create secret'}
      </ButtonWithDisabledReason>
      <Dialog opened={opened} onClose={close} title="Shared secret">
        {opened && (
          <CreateSecretForm isFirst={!secret.since} overlapHours={overlapHours} onDone={close} />
        )}
      </Dialog>
    </Stack>
  )
}

interface CreateSecretFormProps {
  isFirst: boolean
  overlapHours: number
  onDone: () => void
}

function CreateSecretForm({ isFirst, overlapHours, onDone }: CreateSecretFormProps) {
  const [secret, setSecret] = useState<string | null>(null)
  const [placed, setPlaced] = useState(noErrors)
  const [busy, setBusy] = useState(false)

  const submit = async (form: HTMLFormElement) => {
    setBusy(true)
    const data = { at_once: new FormData(form).has('at_once') }
    const to = '/admin/autocourier-billing/events/secret'
    const answer = await call<{ secret: string }>(to, { data, toasts: 'successes' })
    setBusy(false)
    if (answer.data) setSecret(answer.data.secret)
    else setPlaced(assignErrors(form, answer.errors, answer.message))
  }

  if (secret === null) {
    return (
      <FormFrame
        form={{ ...placed, busy, submit }}
        submit={isFirst ? 'Create secret' : 'Change secret'}
        onCancel={onDone}
      >
        <Text size="sm">
          Auto Courier signs its calls with this secret, and Berth signs the decisions that it
          sends.
        </Text>
        {!isFirst && (
          <Checkbox
            name="at_once"
            label="The old secret stops working immediately"
            description={`Otherwise it works for ${overlapHours} more hours, so that no call is rejected.`}
          />
        )}
      </FormFrame>
    )
  }
  return (
    <Stack gap="md">
      <Alert color="yellow" role="status" title="Copy the secret now">
        Give the secret to Auto Courier. Berth does not show it again.
      </Alert>
      <DescriptionList
        label="Shared secret"
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
