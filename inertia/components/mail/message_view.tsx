import { Group } from '@mantine/core'
import { DateText } from '@ui/date_text'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { StatusBadge } from '@ui/status_badge'
import { DescriptionList } from '~/components/description_list'
import { formatSize } from '~/components/file_manager/format_size'
import { useApiCall } from '~/components/use_api_call'
import { usePolling } from '~/components/live/use_polling'
import { useFetch } from '~/components/use_fetch'
import styles from '~/components/vault/vault.module.css'
import own from './mail.module.css'
import { MailContentFrame } from './mail_content_frame'
import { messageReason } from './message_reason'
import { messageTones } from './status_tones'
import type { AttemptEntry, MessageDetails, MessageState } from './types'

interface MessageViewProps {
  base: '/email' | '/admin/email'
  sender: number
  message: string
  states: Record<string, string>
  barred: string | null
  onChanged: () => void
}

/** Polling interval, because the mail service has no event stream. */
export const MAIL_POLL_INTERVAL_MS = 5_000

const unfinishedStates = new Set<MessageState>(['scheduled', 'queued', 'sending'])

const notPendingReason = 'This message is no longer waiting.'

export function MessageView(props: MessageViewProps) {
  const { base, sender, message: id, states, barred, onChanged } = props
  const { data, problem, again, poll } = useFetch<{ message: MessageDetails }>(
    `${base}/${sender}/message?message_id=${id}`
  )
  usePolling(MAIL_POLL_INTERVAL_MS, () => {
    if (data && unfinishedStates.has(data.message.state)) poll()
  })
  const { busy, run } = useApiCall()
  const act = async (path: '/email/message/cancel' | '/email/message/retry') => {
    await run(path, { id: sender, message_id: id })
    again()
    onChanged()
  }
  if (!data && problem) return <p className={styles.calm}>{problem}</p>
  if (!data) return <div className={styles.bones} aria-busy />
  const { message } = data
  const waits = message.state === 'queued' || message.state === 'scheduled'

  return (
    <div className={own.message}>
      <DescriptionList
        label="Message"
        rows={[
          {
            label: 'Status',
            value: (
              <StatusBadge
                status={message.state}
                label={states[message.state]}
                tone={messageTones[message.state]}
              />
            ),
          },
          { label: 'Response', value: messageReason(message) },
          { label: 'To', value: formatRecipient(message.recipientName, message.recipient) },
          { label: 'From', value: message.senderName },
          { label: 'Accepted', value: <DateText value={message.at} shape="moment" /> },
          {
            label: 'Next attempt',
            value: message.nextAt && <DateText value={message.nextAt} shape="moment" />,
          },
          { label: 'Message ID', value: <span className="mono">{message.messageId}</span> },
          { label: 'Size', value: message.size === null ? null : formatSize(message.size) },
          { label: 'Tags', value: message.tags.join(', ') },
          {
            label: 'Attachments',
            value: message.attachments
              .map(({ filename, size }) => `${filename} (${formatSize(size)})`)
              .join(', '),
          },
        ]}
      />
      <section aria-label="Attempts">
        <h3>Attempts</h3>
        {message.history.length === 0 ? (
          <p className={styles.calm}>No attempts yet.</p>
        ) : (
          <ol className={own.attempts}>
            {message.history.map((attempt) => (
              <Attempt key={attempt.at} attempt={attempt} />
            ))}
          </ol>
        )}
      </section>
      {base === '/email' && (
        <section aria-label="Content">
          <h3>Content</h3>
          <MailContentFrame
            html={message.html}
            text={message.text}
            label="Content of the message"
          />
        </section>
      )}
      {base === '/email' && (
        <Group gap="xs" justify="flex-end">
          <ButtonWithDisabledReason
            variant="default"
            reason={waits ? null : notPendingReason}
            loading={busy === '/email/message/cancel'}
            onClick={() => void act('/email/message/cancel')}
          >
            Cancel message
          </ButtonWithDisabledReason>
          <ButtonWithDisabledReason
            reason={
              barred ??
              (message.state === 'queued'
                ? null
                : 'Only a message that waits for its next attempt can be sent now.')
            }
            loading={busy === '/email/message/retry'}
            onClick={() => void act('/email/message/retry')}
          >
            Try now
          </ButtonWithDisabledReason>
        </Group>
      )}
    </div>
  )
}

const formatRecipient = (name: string, address: string) => (name ? `${name} <${address}>` : address)

function Attempt({ attempt }: { attempt: AttemptEntry }) {
  const { at, outcome, host, tls, answer, took } = attempt
  return (
    <li>
      <DateText value={at} shape="moment" /> · {outcome} · {took} ms
      {host && (
        <>
          {' '}
          · {host}, {tls ?? 'unencrypted'}
        </>
      )}
      <code>{answer}</code>
    </li>
  )
}
