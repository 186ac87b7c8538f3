import { Head, usePage } from '@inertiajs/react'
import { Button } from '@mantine/core'
import { Link } from '~/components/link'
import { AttentionItems } from '~/components/dashboard/attention_items'
import { Table, type Column } from '~/components/list/table'
import type { AdminDashboardPage } from '#identity/transformers/page_props'
import type { WithSharedProps, SignedInUser } from '~/types'
import { visit } from '~/visit'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { PageHeader } from '@ui/page_header'
import { statusLabel } from '@ui/status_label'

export default function Dashboard({ manage, needs, failures, readAt }: AdminDashboardPage) {
  const { user } = usePage<WithSharedProps>().props
  const reason = manage === true ? null : manage
  const columns: Column<SignedInUser>[] = [
    { label: 'Name', cell: (row) => row.name, phone: 'title' },
    { label: 'Title', cell: (row) => row.title || '-', width: '20%' },
    { label: 'Email', cell: (row) => row.email, phone: 'second', width: '32%' },
    { label: 'Role', cell: (row) => statusLabel(row.role ?? ''), phone: 'aside', width: '130px' },
    {
      label: '',
      width: '90px',
      align: 'right',
      phone: 'action',
      cell: (row) =>
        reason ? (
          <ButtonWithDisabledReason reason={reason} variant="subtle" size="compact-sm">
            Edit
          </ButtonWithDisabledReason>
        ) : (
          <Link href={`/admin/staff/list?edit=${row.id}`}>Edit</Link>
        ),
    },
  ]
  return (
    <>
      <Head title="Dashboard" />
      <PageHeader
        title="Dashboard"
        hint="Your staff profile and what needs attention."
        action={
          <ButtonWithDisabledReason
            reason={reason}
            onClick={() => visit('/admin/staff/list?add=1')}
          >
            Add user
          </ButtonWithDisabledReason>
        }
      />
      {user && (
        <Table label="Signed-in user" columns={columns} rows={[user]} rowKey={(row) => row.id} />
      )}
      <AttentionItems needs={needs} failures={failures} readAt={readAt} />
      <nav aria-label="More pages" style={{ display: 'flex', gap: 16, marginTop: 24 }}>
        <Button component={Link} href="/admin/staff/list" variant="default">
          All staff
        </Button>
        <Button component={Link} href="/admin/audit" variant="default">
          Audit log
        </Button>
      </nav>
    </>
  )
}
