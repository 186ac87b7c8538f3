import { Head } from '@inertiajs/react'
import { activityColumns, type ActivityRow } from '~/components/activity/columns'
import { List } from '~/components/list/list'
import type { ListAnswer } from '~/types'
import { PageHeader } from '@ui/page_header'

/** Who did what to which thing from where; nobody can change what stands here. */
export default function AuditList(answer: ListAnswer<ActivityRow>) {
  return (
    <>
      <Head title="Audit log" />
      <PageHeader
        title="Audit log"
        hint="Who did what to which thing, when and from where. It can only be added to."
      />
      <List
        path="/admin/audit"
        storageKey="audit-pagination"
        answer={answer}
        label="Audit log"
        all="All Entries"
        searchLabel="Search by person, action, thing or address"
        columns={activityColumns}
        rowKey={(row) => row.id}
        empty={{ title: 'Nothing is written down yet' }}
      />
    </>
  )
}
