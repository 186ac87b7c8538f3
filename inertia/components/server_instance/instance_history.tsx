import { usePage } from '@inertiajs/react'
import { DateText } from '@ui/date_text'
import { StatusBadge } from '@ui/status_badge'
import { ActivityDetails, activityColumns } from '~/components/activity/activity_columns'
import { Table, type Column } from '~/components/list/table'
import type { OperationView } from '~/components/operation/types'
import type { SharedProps } from '~/types'
import type { HistoryView } from './types'
import styles from './instance_history.module.css'

const operationColumns: Column<OperationView>[] = [
  {
    label: 'Time',
    width: '190px',
    phone: 'second',
    cell: ({ createdAt }) => <DateText value={createdAt} shape="moment" />,
  },
  { label: 'Operation', phone: 'title', cell: ({ title }) => title },
  {
    label: 'Status',
    width: '110px',
    phone: 'aside',
    cell: ({ status }) => <StatusBadge status={status} />,
  },
  { label: 'Result', width: '42%', phone: 'second', cell: ({ error }) => error ?? '-' },
]

export function InstanceHistory({ history }: { history: HistoryView }) {
  const { activity, operations } = history
  const { area } = usePage<SharedProps>().props
  return (
    <div className={styles.parts}>
      <section aria-label="Operations">
        <h2>Operations</h2>
        {operations.length ? (
          <Table
            label="Operations"
            columns={operationColumns}
            rows={operations}
            rowKey={({ id }) => id}
          />
        ) : (
          <p>No operations yet.</p>
        )}
      </section>
      <section aria-label="Activity">
        <h2>Activity</h2>
        {activity.length ? (
          <Table
            label="Activity"
            columns={activityColumns}
            rows={activity}
            rowKey={({ id }) => id}
            details={(row) => (
              <ActivityDetails row={row} prefix={area === 'admin' ? '/admin' : ''} />
            )}
          />
        ) : (
          <p>No activity yet.</p>
        )}
      </section>
    </div>
  )
}
