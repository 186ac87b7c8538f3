import { Head } from '@inertiajs/react'
import {
  ActivityDetails,
  activityColumns,
  type ActivityRow,
} from '~/components/activity/activity_columns'
import { List } from '~/components/list/list'
import type { ListPageProps } from '~/types'
import { PageHeader } from '@ui/page_header'

interface AuditListProps extends ListPageProps<ActivityRow> {
  people: { value: string; label: string }[]
}

export default function AuditList({ people, ...answer }: AuditListProps) {
  return (
    <>
      <Head title="Audit log" />
      <PageHeader
        title="Audit log"
        hint="All actions with person, time and IP address. Entries cannot be changed or deleted."
      />
      <List
        path="/admin/audit"
        name="audit"
        live={['audit']}
        answer={answer}
        label="Audit log"
        all="All Entries"
        searchLabel="Search by person, action, resource or IP address"
        columns={activityColumns}
        rowKey={(row) => row.id}
        details={(row) => <ActivityDetails row={row} prefix="/admin" />}
        filters={[
          { kind: 'date', name: 'from', label: 'From' },
          { kind: 'date', name: 'until', label: 'Until' },
          { kind: 'choice', name: 'person', label: 'Person', all: 'Everyone', options: people },
        ]}
        props={['rows', 'statuses', 'people']}
        empty={{ title: 'No entries yet' }}
      />
    </>
  )
}
