import { useState } from 'react'
import { Head, usePage } from '@inertiajs/react'
import { ConfirmDialog, DangerDialog } from '@ui/confirm_dialog'
import { CopyButton } from '@ui/copy_button'
import { DateText } from '@ui/date_text'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { DetailLine } from '@ui/detail_line'
import { PageHeader } from '@ui/page_header'
import { StatusBadge } from '@ui/status_badge'
import { statusLabel } from '@ui/status_label'
import { ActivityDetails, activityColumns } from '~/components/activity/activity_columns'
import { UrlTabs } from '~/components/url_tabs'
import { Notes } from '~/components/customer/notes'
import { SuspendDialog } from '~/components/customer/suspend_dialog'
import { AccountResources } from '~/components/customer/account_resources'
import type { CustomerPage } from '~/components/customer/types'
import { Link } from '~/components/link'
import { Table, type Column } from '~/components/list/table'
import type { SharedProps } from '~/types'
import { postVisit } from '~/visit'

type Member = CustomerPage['members'][number]

const memberColumns: Column<Member>[] = [
  { label: 'Name', phone: 'title', cell: ({ name }) => name },
  { label: 'Email', cell: ({ email }) => email },
  { label: 'Role', phone: 'aside', width: '130px', cell: ({ role }) => statusLabel(role) },
  {
    label: 'Last seen',
    phone: 'action',
    width: '200px',
    cell: ({ seen_at, disabled }) =>
      disabled ? (
        'Disabled'
      ) : seen_at ? (
        <DateText value={seen_at} shape="staff" />
      ) : (
        'No active session'
      ),
  },
]

export default function CustomerDetails(page: CustomerPage) {
  const { customer, members, things, notes, log } = page
  const { id, name, email, status } = customer
  const barred = usePage<SharedProps>().props.unavailable?.['customers.manage'] ?? null
  const [dialog, open] = useState<'suspend' | 'resume' | 'sign-out' | null>(null)
  const close = () => open(null)
  const act = (what: 'resume' | 'sign-out') => {
    postVisit(`/admin/customer/${what}`, { id })
    close()
  }

  return (
    <>
      <Head title={name} />
      <PageHeader
        back={<Link href="/admin/customer/list">Customers</Link>}
        title={name}
        aside={<StatusBadge status={status} />}
        hint={customer.status_reason ?? undefined}
        action={
          <>
            <ButtonWithDisabledReason
              variant="default"
              reason={barred}
              onClick={() => open('sign-out')}
            >
              Sign out all members
            </ButtonWithDisabledReason>
            {status === 'suspended' ? (
              <ButtonWithDisabledReason reason={barred} onClick={() => open('resume')}>
                Resume
              </ButtonWithDisabledReason>
            ) : (
              <ButtonWithDisabledReason
                variant="default"
                color="red"
                reason={barred ?? (status === 'closed' ? 'The account is closed.' : null)}
                onClick={() => open('suspend')}
              >
                Suspend
              </ButtonWithDisabledReason>
            )}
          </>
        }
      >
        <DetailLine
          items={[
            { label: 'Account', value: <span className="mono">{id}</span> },
            {
              label: 'Email',
              value: (
                <>
                  {email}
                  <CopyButton value={email} copied="Email Copied!" what="email" />
                </>
              ),
            },
            { label: 'Customer since', value: <DateText value={customer.since} /> },
          ]}
        />
      </PageHeader>
      <UrlTabs
        label={`Sections of ${name}`}
        tabs={[
          { key: 'things', label: 'Resources', panel: <AccountResources things={things} /> },
          {
            key: 'members',
            label: 'Members',
            count: members.length,
            panel: (
              <Table
                label="Members"
                columns={memberColumns}
                rows={members}
                rowKey={(row) => row.id}
              />
            ),
          },
          {
            key: 'notes',
            label: 'Notes',
            count: notes.length,
            panel: <Notes id={id} notes={notes} />,
          },
          {
            key: 'log',
            label: 'Log',
            panel: (
              <Table
                label="Log"
                columns={activityColumns}
                rows={log}
                rowKey={(row) => row.id}
                details={(row) => <ActivityDetails row={row} prefix="/admin" />}
              />
            ),
          },
        ]}
      />
      <SuspendDialog customer={customer} opened={dialog === 'suspend'} onClose={close} />
      <ConfirmDialog
        opened={dialog === 'resume'}
        confirm="Resume"
        question={`Resume ${name}? The instances and sites that the suspension stopped start again. Those that were already stopped stay stopped.`}
        onClose={close}
        onConfirm={() => act('resume')}
      />
      <DangerDialog
        opened={dialog === 'sign-out'}
        confirm="Sign out all members"
        question={`Sign out all members of ${name} (${members.length}) in every browser? Their open terminals close. They can sign in again.`}
        onClose={close}
        onConfirm={() => act('sign-out')}
      />
    </>
  )
}
