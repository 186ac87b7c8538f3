import { useState } from 'react'
import { Head, usePage, usePoll } from '@inertiajs/react'
import { Alert, Group, NumberInput } from '@mantine/core'
import { ConfirmDialog, DangerDialog } from '@ui/confirm_dialog'
import { DateText } from '@ui/date_text'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { FormFrame } from '@ui/form_frame'
import { DetailLine } from '@ui/detail_line'
import { PageHeader } from '@ui/page_header'
import { StatusBadge } from '@ui/status_badge'
import { call } from '~/api_call'
import { UrlTabs } from '~/components/url_tabs'
import { CustomerCell } from '~/components/customer_cell'
import { useApiForm } from '~/components/form/use_api_form'
import { Link } from '~/components/link'
import { useLiveProps } from '~/components/live/use_live_props'
import { sentInLatestMonth } from '~/components/mail/sent_in_latest_month'
import { MessageTable } from '~/components/mail/message_table'
import type { AdminSenderPage } from '~/components/mail/types'
import { Usage } from '~/components/mail/usage'
import { SuspendDialog } from '~/components/suspend_dialog'
import { useApiCall } from '~/components/use_api_call'
import styles from '~/components/vault/vault.module.css'
import type { SharedProps } from '~/types'
import { visit } from '~/visit'

const RELOADED_PROPS = ['email', 'facts', 'problem']
const COUNTS_POLL_INTERVAL_MS = 10_000

export default function EmailSenderDetails(page: AdminSenderPage) {
  const { email, facts, problem } = page
  const { unavailable } = usePage<SharedProps>().props
  const [dialog, ask] = useState<'suspend' | 'resume' | 'delete' | null>(null)
  const { run } = useApiCall()
  useLiveProps([`sender:${email.id}`], RELOADED_PROPS)
  // Polls, because the mail service counts the messages and sends no events about the counts.
  usePoll(COUNTS_POLL_INTERVAL_MS, { only: ['facts', 'problem'] })
  const barred = unavailable?.['emails.change'] ?? null
  const isSuspended = email.status === 'suspended'
  const close = () => ask(null)

  return (
    <>
      <Head title={email.email} />
      <PageHeader
        back={<Link href="/admin/email/list">Email List</Link>}
        title={email.email}
        aside={<StatusBadge status={email.status} />}
        action={
          <Group gap="xs">
            <ButtonWithDisabledReason
              variant="default"
              reason={barred}
              onClick={() => ask(isSuspended ? 'resume' : 'suspend')}
            >
              {isSuspended ? 'Resume' : 'Suspend'}
            </ButtonWithDisabledReason>
            <ButtonWithDisabledReason
              color="red"
              variant="outline"
              reason={barred}
              onClick={() => ask('delete')}
            >
              Delete
            </ButtonWithDisabledReason>
          </Group>
        }
      >
        <DetailLine
          items={[
            { label: 'Owner', value: <CustomerCell customer={email.customer} /> },
            {
              label: 'Sent this month',
              value: facts?.month.accepted ?? sentInLatestMonth(email.sent_mail_count),
            },
            { label: 'Bounced', value: facts?.month.bounced ?? '-' },
            { label: 'Marked as spam', value: facts?.month.complained ?? '-' },
            { label: 'Verified by', value: email.verified_by ?? '-' },
            { label: 'Verified on', value: <DateText value={email.verified_at} /> },
          ]}
        />
      </PageHeader>
      {email.status_reason && (
        <Alert color="yellow" role="status" mb="md" title="Suspended">
          {email.status_reason}
        </Alert>
      )}
      {problem && (
        <Alert color="yellow" role="status" mb="md">
          {problem}
        </Alert>
      )}
      <UrlTabs
        label={`Sections of ${email.email}`}
        tabs={[
          {
            key: 'messages',
            label: 'Messages',
            panel: (
              <MessageTable
                base="/admin/email"
                id={email.id}
                states={page.messageStates}
                barred={barred}
              />
            ),
          },
          {
            key: 'usage',
            label: 'Usage',
            panel: <Usage href={`/admin/email/${email.id}/usage`} facts={facts} />,
          },
          {
            key: 'limit',
            label: 'Hourly limit',
            panel: facts ? (
              <LimitForm key={facts.hourly_limit} page={page} barred={barred} />
            ) : (
              <p className={styles.calm}>{problem ?? 'This address is not verified yet.'}</p>
            ),
          },
        ]}
      />
      {dialog === 'suspend' && (
        <SuspendDialog
          to="/admin/email/suspend"
          id={email.id}
          name={email.email}
          submit="Suspend address"
          consequences="The address sends no more email. Waiting messages stay in the queue, and you can resume the address at any time."
          onClose={close}
        />
      )}
      <ConfirmDialog
        opened={dialog === 'resume'}
        title={`Resume ${email.email}`}
        question={`Resume ${email.email}? The address can send email again, unless its account is suspended.`}
        confirm="Resume address"
        onClose={close}
        onConfirm={() => run('/admin/email/resume', { id: email.id }, 'successes')}
      />
      <DangerDialog
        opened={dialog === 'delete'}
        title={`Delete ${email.email}`}
        name={email.email}
        mismatch="This does not match the address."
        losses={[
          'Messages that wait to be sent',
          'The secret key, suppression list and webhooks of this address',
        ]}
        confirm="Delete address"
        onClose={close}
        onConfirm={async (typed) => {
          const answer = await call('/admin/email/delete', {
            data: { id: email.id, email: typed },
            toasts: 'successes',
          })
          if (answer.success) visit('/admin/email/list')
          return answer
        }}
      />
    </>
  )
}

function LimitForm({ page, barred }: { page: AdminSenderPage; barred: string | null }) {
  const form = useApiForm({
    to: '/admin/email/limit',
    send: (fields) => ({ id: page.email.id, hourly_limit: Number(fields.get('hourly_limit')) }),
    onDone: () => {},
  })
  return (
    <div className={styles.narrow}>
      <FormFrame form={form} submit="Save limit" buttons="left" quiet reason={barred}>
        <NumberInput
          label="Emails per hour"
          description="The mail service rejects messages above this limit until the next hour"
          min={1}
          max={1_000_000}
          allowDecimal={false}
          defaultValue={page.facts!.hourly_limit}
          {...form.field('hourly_limit')}
        />
      </FormFrame>
    </div>
  )
}
