import { useState } from 'react'
import { Head, usePage } from '@inertiajs/react'
import { Group } from '@mantine/core'
import { List } from '~/components/list/list'
import type { Column } from '~/components/list/table'
import type { StaffListPage, StaffRow } from '#identity/transformers/page_props'
import { StaffMemberDialog } from '~/components/staff_member_dialog'
import { postVisit } from '~/visit'
import { DangerDialog } from '@ui/confirm_dialog'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { PageHeader } from '@ui/page_header'
import { StatusBadge } from '@ui/status_badge'
import { statusLabel } from '@ui/status_label'

type OpenDialog = { kind: 'invite' } | { kind: 'edit' | 'disable'; person: StaffRow } | null

function dialogFromUrl(url: string, rows: StaffRow[], may: boolean): OpenDialog {
  const query = new URL(url, 'http://page').searchParams
  if (!may) return null
  if (query.has('add')) return { kind: 'invite' }
  const person = rows.find(({ id }) => String(id) === query.get('edit'))
  return person ? { kind: 'edit', person } : null
}

const disabledReason = (answer: true | string) => (answer === true ? null : answer)

export default function StaffList(answer: StaffListPage) {
  const { url } = usePage()
  const [dialog, open] = useState<OpenDialog>(() =>
    dialogFromUrl(url, answer.rows, answer.invite === true)
  )
  const close = () => open(null)

  const columns: Column<StaffRow>[] = [
    { label: 'Name', sort: 'name', width: '20%', cell: (row) => row.name, phone: 'title' },
    { label: 'Title', sort: 'title', cell: (row) => row.title || '-', width: '15%' },
    { label: 'Email', sort: 'email', cell: (row) => row.email, width: '26%', phone: 'second' },
    { label: 'Role', sort: 'role', cell: (row) => statusLabel(row.role), width: '116px' },
    {
      label: 'Status',
      sort: 'status',
      width: '104px',
      phone: 'aside',
      cell: ({ status }) => (
        <StatusBadge status={status} tone={status === 'invited' ? 'wait' : undefined} />
      ),
    },
    {
      label: 'Action',
      width: '248px',
      align: 'right',
      phone: 'action',
      cell: (row) => (
        <Group gap={4} justify="flex-end" wrap="nowrap">
          <ButtonWithDisabledReason
            variant="subtle"
            size="compact-sm"
            reason={disabledReason(row.can.edit)}
            onClick={() => open({ kind: 'edit', person: row })}
          >
            Edit
          </ButtonWithDisabledReason>
          {row.status === 'invited' && (
            <ButtonWithDisabledReason
              variant="subtle"
              size="compact-sm"
              reason={disabledReason(row.can.inviteAgain)}
              onClick={() => postStaffAction('invite-again', row)}
            >
              Invite again
            </ButtonWithDisabledReason>
          )}
          {row.status === 'disabled' ? (
            <ButtonWithDisabledReason
              variant="subtle"
              size="compact-sm"
              reason={disabledReason(row.can.enable)}
              onClick={() => postStaffAction('enable', row)}
            >
              Enable
            </ButtonWithDisabledReason>
          ) : (
            <ButtonWithDisabledReason
              variant="subtle"
              size="compact-sm"
              color="red"
              reason={disabledReason(row.can.disable)}
              onClick={() => open({ kind: 'disable', person: row })}
            >
              Disable
            </ButtonWithDisabledReason>
          )}
        </Group>
      ),
    },
  ]

  return (
    <>
      <Head title="Staff" />
      <PageHeader
        title="Staff"
        hint="Administrators have full access. Support can view every page and answer chats."
        action={
          <ButtonWithDisabledReason
            reason={disabledReason(answer.invite)}
            onClick={() => open({ kind: 'invite' })}
          >
            Add user
          </ButtonWithDisabledReason>
        }
      />
      <List
        path="/admin/staff/list"
        name="staff"
        props={['rows', 'statuses', 'invite']}
        live={['person']}
        answer={answer}
        label="Staff"
        all="All Staff"
        searchLabel="Search by name, email or title"
        columns={columns}
        rowKey={(row) => row.id}
        struck={(row) => row.status === 'disabled'}
        empty={{ title: 'No staff yet' }}
      />
      <StaffMemberDialog
        opened={dialog?.kind === 'invite' || dialog?.kind === 'edit'}
        person={dialog?.kind === 'edit' ? dialog.person : null}
        onClose={close}
      />
      {dialog?.kind === 'disable' && (
        <DangerDialog
          opened
          confirm="Disable"
          question={`Disable ${dialog.person.name} (${dialog.person.email})? They are signed out everywhere immediately and cannot sign in again.`}
          onClose={close}
          onConfirm={() => {
            postStaffAction('disable', dialog.person)
            close()
          }}
        />
      )}
    </>
  )
}

function postStaffAction(what: 'invite-again' | 'enable' | 'disable', { id }: StaffRow) {
  postVisit(`/admin/staff/${what}`, { id })
}
