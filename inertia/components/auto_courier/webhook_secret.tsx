import { useState } from 'react'
import { Checkbox, Stack, Text } from '@mantine/core'
import { CopyableText } from '@ui/copyable_text'
import { DateText } from '@ui/date_text'
import { Dialog } from '@ui/dialog'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { FormFrame } from '@ui/form_frame'
import { useApiForm } from '~/components/form/use_api_form'
import { NewSecret } from '~/components/new_secret'
import type { CourierEventsPage } from './types'

interface CourierWebhookSecretProps {
  secret: CourierEventsPage['secret']
  overlapHours: number
  barred: string | null
}

/** Shows when the webhook secret was created, and a button to create a new one, which is shown once. */
export function CourierWebhookSecret({ secret, overlapHours, barred }: CourierWebhookSecretProps) {
  const [opened, open] = useState(false)
  const close = () => open(false)
  return (
    <Stack gap="sm" align="flex-start">
      <Text size="sm">
        {secret.since ? (
          <>
            Created <DateText value={secret.since} />.
          </>
        ) : (
          'No secret yet. Berth rejects all calls of Auto Courier and sends it no events.'
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
  const form = useApiForm({
    to: '/admin/autocourier-billing/events/secret',
    send: (fields) => ({ at_once: fields.has('at_once') }),
    onDone: (data) => setSecret((data as { secret: string }).secret),
  })

  if (secret === null) {
    return (
      <FormFrame form={form} submit={isFirst ? 'Create secret' : 'Change secret'} onCancel={onDone}>
        <Text size="sm">
          Auto Courier signs its webhook calls with this secret. Berth signs its events with the
          same secret.
        </Text>
        {!isFirst && (
          <Checkbox
            name="at_once"
            label="The old secret stops working immediately"
            description={`Otherwise it works for ${overlapHours} more hours, so that you can change it in Auto Courier meanwhile.`}
          />
        )}
      </FormFrame>
    )
  }
  return (
    <NewSecret
      advice="Give the secret to Auto Courier. Berth does not show it again."
      label="Shared secret"
      rows={[{ label: 'Secret', value: <CopyableText text={secret} what="secret" /> }]}
      onDone={onDone}
    />
  )
}
