import { useState } from 'react'
import { Button } from '@mantine/core'
import { DateText } from '@ui/date_text'
import { Dialog } from '@ui/dialog'
import { EmptyState } from '@ui/empty_state'
import { StatusBadge } from '@ui/status_badge'
import { SearchBox, StatusFilter } from '~/components/list/toolbar'
import { Footer } from '~/components/list/footer'
import { Table } from '~/components/list/table'
import { TwoLineCell } from '~/components/list/two_line_cell'
import { usePolling } from '~/components/live/use_polling'
import sectionStyles from '~/components/content_section.module.css'
import styles from '~/components/vault/vault.module.css'
import own from './mail.module.css'
import { messageReason } from './message_reason'
import { MAIL_POLL_INTERVAL_MS, MessageView } from './message_view'
import { messageTones } from './status_tones'
import type { MessageEntry, MessageListResponse } from './types'
import { usePagedList } from './use_paged_list'

interface MessageTableProps {
  base: '/email' | '/admin/email'
  id: number
  states: Record<string, string>
  /** Reason why a customer cannot retry a message. Staff can only read messages. */
  barred: string | null
}

export function MessageTable({ base, id, states, barred }: MessageTableProps) {
  const list = usePagedList<MessageListResponse>(`${base}/${id}/messages`, 'state')
  const [opened, open] = useState<MessageEntry | null>(null)
  const { data, problem } = list
  const isAll = !list.search && !list.narrowed
  usePolling(MAIL_POLL_INTERVAL_MS, list.poll)

  return (
    <section className={sectionStyles.section} aria-label="Messages">
      <div className={own.filters}>
        <StatusFilter
          statuses={states}
          all="All messages"
          value={list.narrowed}
          onChange={list.narrowTo}
        />
        <Button size="compact-sm" variant="subtle" onClick={list.again}>
          Refresh
        </Button>
      </div>
      <SearchBox
        label="Search by recipient, subject or message ID"
        value={list.search}
        onChange={list.setSearch}
      />
      {problem && data && <p className={styles.calm}>The list could not be updated. {problem}</p>}
      {problem && !data ? (
        <EmptyState title="The messages could not be loaded" hint={problem} />
      ) : !data ? (
        <div className={styles.bones} aria-busy />
      ) : data.messages.length === 0 ? (
        <EmptyState
          title={isAll ? 'No messages yet' : 'No messages match'}
          hint={isAll ? 'Messages appear here as soon as they are accepted.' : undefined}
        />
      ) : (
        <>
          <Table<MessageEntry>
            label="Messages"
            rows={data.messages}
            rowKey={(row) => row.id}
            columns={[
              {
                label: 'Recipient',
                phone: 'title',
                cell: ({ recipient, subject }) => (
                  <TwoLineCell second={subject} always>
                    <span title={recipient}>{recipient}</span>
                  </TwoLineCell>
                ),
              },
              {
                label: 'Response',
                width: '24%',
                cell: messageReason,
              },
              {
                label: 'Accepted',
                width: '164px',
                phone: 'second',
                cell: ({ at }) => <DateText value={at} shape="moment" />,
              },
              {
                label: 'Next attempt',
                width: '164px',
                cell: ({ nextAt: next }) => <DateText value={next} shape="moment" />,
              },
              {
                label: 'Status',
                width: '116px',
                phone: 'aside',
                cell: ({ state }) => (
                  <StatusBadge status={state} label={states[state]} tone={messageTones[state]} />
                ),
              },
              {
                label: 'Action',
                align: 'right',
                width: '84px',
                phone: 'action',
                cell: (row) => (
                  <Button
                    size="xs"
                    variant="default"
                    aria-label={`Show message to ${row.recipient}`}
                    onClick={() => open(row)}
                  >
                    Show
                  </Button>
                ),
              },
            ]}
          />
          <Footer
            page={list.page}
            length={data.length}
            count={data.count}
            shown={data.messages.length}
            onPage={list.setPage}
          />
        </>
      )}
      <Dialog
        opened={opened !== null}
        onClose={() => open(null)}
        title={opened?.subject || 'No subject'}
        size="xl"
      >
        {opened && (
          <MessageView
            base={base}
            sender={id}
            states={states}
            barred={barred}
            message={opened.id}
            onChanged={list.again}
          />
        )}
      </Dialog>
    </section>
  )
}
