import { useState } from 'react'
import { Head, usePage } from '@inertiajs/react'
import { Alert, Group, Text, Textarea, TextInput } from '@mantine/core'
import { ConfirmDialog } from '@ui/confirm_dialog'
import { CopyButton } from '@ui/copy_button'
import { DateText } from '@ui/date_text'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { FormFrame } from '@ui/form_frame'
import { PageHeader } from '@ui/page_header'
import { StatusBadge } from '@ui/status_badge'
import type { AlertSettingsPage } from '#core/page_props'
import { call } from '~/api_call'
import { ContentSection } from '~/components/content_section'
import { useApiForm } from '~/components/form/use_api_form'
import { useLiveProps } from '~/components/live/use_live_props'
import { reloadChangingProps } from '~/components/live/reload_changing_props'
import styles from '~/components/vault/vault.module.css'
import type { SharedProps } from '~/types'

const PAGE_PATH = '/admin/settings/alerts'

export default function AlertSettings({ settings, administrators }: AlertSettingsPage) {
  const { unavailable } = usePage<SharedProps>().props
  const [secret, setSecret] = useState<string | null>(null)
  const [renewing, setRenewing] = useState(false)
  const [testing, setTesting] = useState(false)
  useLiveProps(['alert:settings'], ['settings'])
  const barred = unavailable?.['alerts.manage'] ?? null
  const { recipients, webhook_url: url, has_secret: hasSecret, last } = settings
  const form = useApiForm({
    to: `${PAGE_PATH}/update`,
    send: (fields) => {
      const lines = String(fields.get('recipients'))
        .split(/[\s,;]+/)
        .filter(Boolean)
      return {
        recipients: lines.length ? lines : null,
        webhook_url: String(fields.get('webhook_url')).trim() || null,
      }
    },
    byField: (errors) =>
      Object.fromEntries(
        Object.entries(errors).map(([name, messages]) => [name.replace(/\.\d+$/, ''), messages])
      ),
    // The response contains the secret of a new webhook.
    onDone: (data) => setSecret((data as { secret: string | null }).secret),
  })
  const renew = async () => {
    const answer = await call<{ secret: string }>(`${PAGE_PATH}/secret`, { method: 'POST' })
    if (answer.data) setSecret(answer.data.secret)
    reloadChangingProps()
    return answer
  }
  const test = async () => {
    setTesting(true)
    await call(`${PAGE_PATH}/test`, { method: 'POST' })
    setTesting(false)
  }

  return (
    <>
      <Head title="Alerts" />
      <PageHeader
        title="Alerts"
        hint="Choose who is notified. Berth sends an alert when a problem starts, daily while it lasts, and when it is resolved."
        action={
          <ButtonWithDisabledReason
            variant="default"
            reason={barred}
            loading={testing}
            onClick={() => void test()}
          >
            Send test
          </ButtonWithDisabledReason>
        }
      />
      <div className={styles.narrow}>
        <FormFrame form={form} submit="Save" buttons="left" reason={barred}>
          <Textarea
            label="Recipients"
            description={`One email address per line. If empty, alerts go to ${administrators.join(', ') || 'all administrators'}.`}
            autosize
            minRows={2}
            defaultValue={recipients?.join('\n') ?? ''}
            {...form.field('recipients')}
          />
          <TextInput
            label="Webhook"
            description="Berth also sends each alert to this URL, signed as Standard Webhooks defines. Leave empty for no webhook."
            type="url"
            maxLength={2_000}
            placeholder="https://…"
            defaultValue={url ?? ''}
            {...form.field('webhook_url')}
          />
        </FormFrame>
      </div>
      <ContentSection title="Webhook secret">
        <Text mb="sm">
          {hasSecret
            ? 'Berth signs webhook calls with this secret. The secret was shown once. If you lost it, create a new one.'
            : 'Berth creates the secret when you save a webhook address for the first time, and shows it here once.'}
        </Text>
        {secret && (
          <Alert color="teal" mb="md" title="Copy this secret now. It is not shown again.">
            <Group gap="xs" wrap="nowrap">
              <code style={{ overflowWrap: 'anywhere' }}>{secret}</code>
              <CopyButton value={secret} copied="Secret Copied!" what="secret" />
            </Group>
          </Alert>
        )}
        <ButtonWithDisabledReason
          variant="default"
          style={{ justifySelf: 'start' }}
          reason={barred ?? (url ? null : 'Save a webhook address first.')}
          onClick={() => setRenewing(true)}
        >
          Create new secret
        </ButtonWithDisabledReason>
        {last && (
          <Group gap="xs" mt="md">
            <StatusBadge
              status={last.worked ? 'delivered' : 'failed'}
              tone={last.worked ? 'good' : 'loss'}
            />
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              Last webhook call <DateText value={last.at} shape="moment" />. Response:{' '}
              {last.answer || '-'}
            </Text>
          </Group>
        )}
      </ContentSection>
      <ConfirmDialog
        opened={renewing}
        question="Create a new secret? The old one stops working immediately."
        confirm="Create secret"
        onClose={() => setRenewing(false)}
        onConfirm={renew}
      />
    </>
  )
}
