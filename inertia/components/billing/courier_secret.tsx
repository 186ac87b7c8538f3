import { useState } from 'react'
import { Alert, Button, Checkbox, Group, Stack, Text } from '@mantine/core'
import { CopyButton } from '@ui/copy_button'
import { DateText } from '@ui/date_text'
import { Dialog } from '@ui/dialog'
import { DisabledReason } from '@ui/disabled_reason'
import { FormFrame } from '@ui/form_frame'
import { call } from '~/api_call'
import { noErrors, placeErrors } from '~/components/form/placed_errors'
import { FactTable } from '~/components/fact_table'
import { reread } from '~/components/live/reread'
import type { CourierEventsPage } from './types'

interface CourierSecretProps {
  facts: CourierEventsPage['secret']
  overlapHours: number
  barred: string | null
}

/** Makes the secret that both sides sign with, and shows it once. */
export function CourierSecret({ facts, overlapHours, barred }: CourierSecretProps) {
  const [opened, open] = useState(false)
  const close = () => {
    open(false)
    reread()
  }
  return (
    <Stack gap="sm" align="flex-start">
      <Text size="sm">
        {facts.since ? (
          <>
            Created <DateText value={facts.since} />.
          </>
        ) : (
          'No secret yet: calls are rejected and no events are sent.'
        )}
        {facts.before_ends && (
          <>
            {' '}
            The previous secret works until <DateText value={facts.before_ends} />.
          </>
        )}
      </Text>
      <DisabledReason variant="default" reason={barred} onClick={() => open(true)}>
        {facts.since ? 'Change secret' : 'Create secret'}
      </DisabledReason>
      <Dialog opened={opened} onClose={close} title="Shared secret">
        {opened && <Make isFirst={!facts.since} overlapHours={overlapHours} onDone={close} />}
      </Dialog>
    </Stack>
  )
}

interface MakeProps {
  isFirst: boolean
  overlapHours: number
  onDone: () => void
}

function Make({ isFirst, overlapHours, onDone }: MakeProps) {
  const [secret, setSecret] = useState<string | null>(null)
  const [placed, place] = useState(noErrors)
  const [busy, setBusy] = useState(false)

  const submit = async (form: HTMLFormElement) => {
    setBusy(true)
    const data = { at_once: new FormData(form).has('at_once') }
    const to = '/admin/autocourier-billing/events/secret'
    const answer = await call<{ secret: string }>(to, { data, toasts: 'successes' })
    setBusy(false)
    if (answer.data) setSecret(answer.data.secret)
    else place(placeErrors(form, answer.errors, answer.message))
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
      <FactTable
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
