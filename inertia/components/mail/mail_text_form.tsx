import { Code, Text, Textarea, TextInput } from '@mantine/core'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { FormFrame } from '@ui/form_frame'
import type { MailSettingsPage } from '#core/page_props'
import { useApiForm } from '~/components/form/use_api_form'
import { useApiCall } from '~/components/use_api_call'

interface MailTextFormProps {
  kind: MailSettingsPage['kinds'][number]
  barred: string | null
  onSaved: () => void
}

export function MailTextForm({ kind, barred, onSaved }: MailTextFormProps) {
  const { busy, run } = useApiCall()
  const form = useApiForm({
    to: '/admin/settings/mail/words',
    send: (fields) => ({
      kind: kind.name,
      subject: String(fields.get('subject')) || null,
      intro: String(fields.get('intro')) || null,
    }),
    onDone: onSaved,
  })
  return (
    <FormFrame
      form={form}
      submit="Save text"
      buttons="left"
      quiet
      reason={barred}
      aside={
        <ButtonWithDisabledReason
          variant="default"
          reason={barred}
          loading={busy !== null}
          onClick={() => void run('/admin/settings/mail/test', { kind: kind.name })}
        >
          Send me a test email
        </ButtonWithDisabledReason>
      }
    >
      <TextInput
        label="Subject"
        description="Leave empty to use the default"
        placeholder={kind.default_subject}
        maxLength={200}
        defaultValue={kind.subject ?? ''}
        {...form.field('subject')}
      />
      <Textarea
        label="First paragraph"
        description="Leave empty to use the default"
        placeholder={kind.default_intro}
        autosize
        minRows={3}
        maxLength={1_000}
        defaultValue={kind.intro ?? ''}
        {...form.field('intro')}
      />
      <Text size="sm">
        You can use these placeholders:{' '}
        {kind.placeholders.map((name) => (
          <Code key={name} mr={6}>{`{${name}}`}</Code>
        ))}
      </Text>
    </FormFrame>
  )
}
