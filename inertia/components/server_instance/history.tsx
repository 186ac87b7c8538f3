import { DateText } from '@ui/date_text'
import { StatusBadge } from '@ui/status_badge'
import { activityColumns } from '~/components/activity/columns'
import { Table, type Column } from '~/components/list/table'
import type { OperationView } from '~/components/operation/types'
import type { HistoryView } from './types'
import styles from './history.module.css'

const tones = {
  queued: 'wait',
  running: 'wait',
  stuck: 'loss',
  done: 'good',
  failed: 'loss',
} as const

const workColumns: Column<OperationView>[] = [
  {
    label: 'When',
    width: '165px',
    phone: 'aside',
    cell: ({ createdAt }) => <DateText value={createdAt} shape="moment" />,
  },
  { label: 'Work', phone: 'title', cell: ({ title }) => title },
  {
    label: 'Status',
    width: '110px',
    phone: 'action',
    cell: ({ status }) => <StatusBadge status={status} tone={tones[status]} />,
  },
  { label: 'Result', cell: ({ error }) => error ?? '-' },
]

/** What was done to an instance, by whom, and what Berth did for it. */
export function InstanceHistory({ history }: { history: HistoryView }) {
  const { activity, operations } = history
  return (
    <div className={styles.parts}>
      <section aria-label="Work">
        <h2>Work</h2>
        {operations.length ? (
          <Table label="Work" columns={workColumns} rows={operations} rowKey={({ id }) => id} />
        ) : (
          <p>Nothing was done yet.</p>
        )}
      </section>
      <section aria-label="Activity">
        <h2>Activity</h2>
        {activity.length ? (
          <Table
            label="Activity"
            columns={activityColumns.filter(({ label }) => label !== 'What')}
            rows={activity}
            rowKey={({ id }) => id}
          />
        ) : (
          <p>Nothing is written down.</p>
        )}
      </section>
    </div>
  )
}
