import { Head, usePage, usePoll } from '@inertiajs/react'
import { Alert, Group } from '@mantine/core'
import { CopyableText } from '@ui/copyable_text'
import { DateText } from '@ui/date_text'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { EmptyState } from '@ui/empty_state'
import { DetailLine } from '@ui/detail_line'
import { PageHeader } from '@ui/page_header'
import { StatusBadge } from '@ui/status_badge'
import { UrlTabs } from '~/components/url_tabs'
import { Link } from '~/components/link'
import { useLiveProps } from '~/components/live/use_live_props'
import { sentInLatestMonth } from '~/components/mail/sent_in_latest_month'
import { Credentials } from '~/components/mail/credentials'
import { MessageTable } from '~/components/mail/message_table'
import { SenderSettings } from '~/components/mail/sender_settings'
import { Suppressions } from '~/components/mail/suppressions'
import type { SenderPage } from '~/components/mail/types'
import { Usage } from '~/components/mail/usage'
import { Webhooks } from '~/components/mail/webhooks'
import { useApiCall } from '~/components/use_api_call'
import type { SharedProps } from '~/types'

const RELOADED_PROPS = ['email', 'facts', 'barred', 'problem', 'domain']
const COUNTS_POLL_INTERVAL_MS = 10_000

export default function EmailSenderDetails(page: SenderPage) {
  const { email, facts, problem } = page
  const { user } = usePage<SharedProps>().props
  const { busy, run } = useApiCall()
  useLiveProps([`sender:${email.id}`], RELOADED_PROPS)
  // Polls, because the mail service counts the messages and sends no events about the counts.
  usePoll(COUNTS_POLL_INTERVAL_MS, { only: ['facts', 'problem'] })
  const isHeld = user?.account?.status !== undefined && user.account.status !== 'active'
  const barred =
    page.barred ?? (isHeld ? 'The account is suspended. You cannot change anything.' : null)
  // The mail service does not know the address before its first verification.
  const isNew = email.verified_at === null && facts === null
  const none = (
    <EmptyState
      title="No messages yet"
      hint="Messages appear here after the address is verified."
    />
  )

  return (
    <>
      <Head title={email.email} />
      <PageHeader
        back={<Link href="/email/list">Email</Link>}
        title={email.email}
        aside={<StatusBadge status={email.status} />}
      >
        <DetailLine
          items={[
            {
              label: 'Sent this month',
              value: facts?.month.accepted ?? sentInLatestMonth(email.sent_mail_count),
            },
            { label: 'Delivered', value: facts?.month.delivered ?? '-' },
            { label: 'Bounced', value: facts?.month.bounced ?? '-' },
            { label: 'Waiting', value: facts?.waiting ?? '-' },
            {
              label: 'Email',
              value: <CopyableText text={email.email} copied="Email Copied!" what="email" />,
            },
            { label: 'Verified', value: <DateText value={email.verified_at} /> },
          ]}
        />
      </PageHeader>
      {page.barred && (
        <Alert color="yellow" role="status" mb="md">
          <Group justify="space-between">
            {page.barred}
            {email.status === 'pending' && (
              <ButtonWithDisabledReason
                size="xs"
                variant="default"
                reason={isHeld ? barred : null}
                loading={busy === '/email/link'}
                onClick={() => void run('/email/link', { id: email.id })}
              >
                Send link again
              </ButtonWithDisabledReason>
            )}
          </Group>
        </Alert>
      )}
      {problem && (
        <Alert color="yellow" role="status" mb="md">
          {problem}
        </Alert>
      )}
      {facts?.paused && isHeld && (
        <Alert color="yellow" role="status" mb="md">
          The account is suspended. No messages are sent until it is resumed.
        </Alert>
      )}
      <UrlTabs
        label={`Sections of ${email.email}`}
        tabs={[
          {
            key: 'messages',
            label: 'Messages',
            panel: isNew ? (
              none
            ) : (
              <MessageTable
                base="/email"
                id={email.id}
                states={page.messageStates}
                barred={barred}
              />
            ),
          },
          {
            key: 'credentials',
            label: 'Credentials',
            panel: <Credentials page={page} barred={barred} />,
          },
          {
            key: 'usage',
            label: 'Usage',
            panel: isNew ? none : <Usage href={`/email/${email.id}/usage`} facts={facts} />,
          },
          {
            key: 'suppressions',
            label: 'Suppressions',
            panel: isNew ? none : <Suppressions id={email.id} barred={barred} />,
          },
          {
            key: 'webhooks',
            label: 'Webhooks',
            panel: isNew ? (
              none
            ) : (
              <Webhooks id={email.id} events={page.mailEvents} barred={barred} />
            ),
          },
          {
            key: 'settings',
            label: 'Settings',
            panel: <SenderSettings page={page} barred={barred} />,
          },
        ]}
      />
    </>
  )
}
