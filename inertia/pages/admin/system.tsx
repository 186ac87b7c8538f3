import { useState } from 'react'
import { Head, usePage } from '@inertiajs/react'
import { Group } from '@mantine/core'
import { DangerDialog } from '@ui/confirm_dialog'
import { DateText } from '@ui/date_text'
import { DisabledReason } from '@ui/disabled_reason'
import { EmptyState } from '@ui/empty_state'
import { PageHeader } from '@ui/page_header'
import { StatusBadge } from '@ui/status_badge'
import { useLiveProps } from '~/components/live/use_live_props'
import { Table, type Column } from '~/components/list/table'
import type { ScheduleRow, SystemPage, WorkRow } from '~/components/system/types'
import { useCall } from '~/components/use_call'
import type { SharedProps } from '~/types'
import styles from './system.module.css'

/** Something is always going on here: so long it is left alone, in milliseconds. */
const REST_MS = 3_000

const tones = {
  stuck: 'loss',
  failed: 'loss',
  queued: 'wait',
  running: 'wait',
  waiting: 'calm',
  done: 'good',
} as const
const toneOf = (status: string) => tones[status as keyof typeof tones] ?? 'calm'

const scheduleColumns: Column<ScheduleRow>[] = [
  {
    label: 'Schedule',
    phone: 'title',
    cell: ({ name, label }) => (
      <span className={styles.two}>
        <span>{label}</span>
        <small className={styles.key}>{name}</small>
      </span>
    ),
  },
  {
    label: 'Every',
    width: '90px',
    align: 'right',
    phone: 'hidden',
    cell: ({ every }) => spanOf(every),
  },
  {
    label: 'Last run',
    width: '190px',
    phone: 'second',
    cell: ({ started_at: at }) => (at ? <DateText value={at} shape="moment" /> : '-'),
  },
  {
    label: 'Took',
    width: '90px',
    align: 'right',
    phone: 'hidden',
    cell: ({ took_ms: took }) => (took === null ? '-' : `${took.toLocaleString('en-US')} ms`),
  },
  {
    label: 'Result',
    width: '120px',
    phone: 'aside',
    cell: ({ status }) => <StatusBadge status={status} tone={toneOf(status)} />,
  },
  {
    label: 'Error',
    phone: 'hidden',
    cell: ({ error, failures }) =>
      error ? (
        <span className={styles.rest} title={error}>
          {failures > 1 ? `${failures} times in a row: ` : ''}
          {error}
        </span>
      ) : (
        '-'
      ),
  },
]

/** What Berth does by itself: work in order of need, and everything that it does again and again. */
export default function System({ work, schedules }: SystemPage) {
  const { unavailable } = usePage<SharedProps>().props
  const { busy, run } = useCall()
  const [ending, setEnding] = useState<WorkRow | null>(null)
  const mayNot = unavailable?.['work.decide']
  useLiveProps(['operation', 'schedule'], ['work', 'schedules'], { rest: REST_MS })

  const decide = async ({ id }: WorkRow, what: 'retry' | 'give-up') => {
    return run(`/admin/operations/${id}/${what}`, {}, what === 'give-up' ? 'successes' : 'all')
  }
  const reasonOf = ({ status }: WorkRow) =>
    mayNot ?? (status === 'stuck' ? null : 'This work is not stuck.')

  const workColumns: Column<WorkRow>[] = [
    {
      label: 'Work',
      width: '240px',
      phone: 'title',
      cell: ({ title, kind }) => (
        <span className={styles.two}>
          <span className={styles.words} title={title}>
            {title}
          </span>
          <small className={styles.key}>{kind}</small>
        </span>
      ),
    },
    {
      label: 'Whose',
      width: '150px',
      phone: 'hidden',
      cell: ({ owner }) => (
        <span className={styles.owner} title={owner ?? undefined}>
          {owner ?? 'Berth'}
        </span>
      ),
    },
    {
      label: 'Begun',
      width: '165px',
      phone: 'hidden',
      cell: ({ created_at: at }) => <DateText value={at} shape="moment" />,
    },
    {
      label: 'Status',
      width: '110px',
      phone: 'aside',
      cell: ({ status }) => <StatusBadge status={status} tone={toneOf(status)} />,
    },
    {
      label: 'Where it is',
      phone: 'second',
      cell: ({ step, trouble, attempts, status }) => (
        <span className={styles.rest} title={trouble ?? step ?? undefined}>
          {status === 'stuck' ? `${attempts} attempts: ${trouble}` : (trouble ?? step ?? '-')}
        </span>
      ),
    },
    {
      label: 'Action',
      width: '170px',
      align: 'right',
      phone: 'action',
      cell: (row) => (
        <Group gap={4} justify="flex-end" wrap="nowrap">
          <DisabledReason
            size="compact-sm"
            variant="subtle"
            reason={reasonOf(row)}
            loading={busy === `/admin/operations/${row.id}/retry`}
            aria-label={`Retry ${row.title}`}
            onClick={() => void decide(row, 'retry')}
          >
            Retry
          </DisabledReason>
          <DisabledReason
            size="compact-sm"
            variant="subtle"
            color="red"
            reason={reasonOf(row)}
            aria-label={`End ${row.title}`}
            onClick={() => setEnding(row)}
          >
            End
          </DisabledReason>
        </Group>
      ),
    },
  ]

  return (
    <>
      <Head title="System" />
      <PageHeader
        title="System"
        hint="What Berth is doing by itself. Stuck work waits for somebody to retry or end it."
      />
      <section aria-labelledby="work">
        <h2 id="work" className={styles.heading}>
          Work
        </h2>
        {work.length ? (
          <Table label="Work" columns={workColumns} rows={work} rowKey={({ id }) => id} />
        ) : (
          <EmptyState title="Nothing is under way" hint="Nothing failed within a day." />
        )}
      </section>
      <section aria-labelledby="schedules">
        <h2 id="schedules" className={styles.heading}>
          Schedules
        </h2>
        <Table
          label="Schedules"
          columns={scheduleColumns}
          rows={schedules}
          rowKey={({ name }) => name}
        />
      </section>
      <DangerDialog
        opened={ending !== null}
        question={`End "${ending?.title ?? ''}" as failed? What it has done so far stays. What it is about can then be used, tried again or deleted.`}
        confirm="End it"
        onClose={() => setEnding(null)}
        onConfirm={async () => (ending ? decide(ending, 'give-up') : undefined)}
      />
    </>
  )
}

function spanOf(seconds: number) {
  if (seconds % 3_600 === 0) return `${seconds / 3_600} h`
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`
}
