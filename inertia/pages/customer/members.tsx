import { useState } from 'react'
import { Head, router } from '@inertiajs/react'
import { Button, Group, NativeSelect, Tooltip } from '@mantine/core'
import { ConfirmDialog } from '@ui/confirm_dialog'
import { DateText } from '@ui/date_text'
import { DisabledReason } from '@ui/disabled_reason'
import { PageHeader } from '@ui/page_header'
import { Link } from '~/components/link'
import { Table, type Column } from '~/components/list/table'
import { InviteDialog } from '~/components/member/invite_dialog'
import { NameForm } from '~/components/member/name_form'
import type { Member, MembersPage } from '~/components/member/types'
import { Section } from '~/components/profile/section'
import styles from './members.module.css'

const post = (what: string, data: Record<string, string | number>) =>
  router.post(`/profile/members/${what}`, data, { preserveScroll: true })

/** Who acts for the account, and who is invited to. */
export default function Members(page: MembersPage) {
  const { account, members, roles, invitations, invited, mayManage } = page
  const [inviting, invite] = useState(false)
  const [leaving, leave] = useState<Member | null>(null)

  const columns: Column<Member>[] = [
    {
      label: 'Name',
      phone: 'title',
      cell: ({ name, is_self }) => (is_self ? `${name} (you)` : name),
    },
    { label: 'Email', cell: ({ email }) => email },
    {
      label: 'Role',
      phone: 'aside',
      width: '150px',
      cell: (member) => (
        <Tooltip
          label={member.can.changeRole.reason}
          disabled={member.can.changeRole.allowed}
          events={{ hover: true, focus: true, touch: true }}
        >
          <NativeSelect
            size="xs"
            aria-label={`Role of ${member.name}`}
            aria-description={member.can.changeRole.reason ?? undefined}
            disabled={!member.can.changeRole.allowed}
            data={Object.entries(roles).map(([value, label]) => ({ value, label }))}
            value={member.role}
            onChange={(event) => post('update', { id: member.id, role: event.currentTarget.value })}
          />
        </Tooltip>
      ),
    },
    {
      label: 'Since',
      phone: 'hidden',
      width: '130px',
      cell: (row) => <DateText value={row.since} />,
    },
    {
      label: 'Action',
      align: 'right',
      phone: 'action',
      width: '110px',
      cell: (member) => (
        <DisabledReason
          variant="subtle"
          size="compact-sm"
          color="red"
          reason={member.can.remove.reason}
          aria-label={member.is_self ? 'Leave the account' : `Remove ${member.name}`}
          onClick={() => leave(member)}
        >
          {member.is_self ? 'Leave' : 'Remove'}
        </DisabledReason>
      ),
    },
  ]

  return (
    <>
      <Head title="Members" />
      <PageHeader
        back={<Link href="/profile">Profile</Link>}
        title="Members"
        hint={`Who acts for ${account.name}. Servers, sites and bills belong to the account, not to one person.`}
        action={
          <DisabledReason reason={mayManage.reason} onClick={() => invite(true)}>
            Invite
          </DisabledReason>
        }
      />
      {invited.map(({ id, account: name, inviter, role }) => (
        <Section
          key={id}
          wide
          title={`Invitation to ${name}`}
          hint={`${inviter} invites you as ${roles[role]}.`}
        >
          <Group gap="xs">
            <Button onClick={() => router.post('/invitation/accept', { id })}>Accept</Button>
            <Button variant="default" onClick={() => router.post('/invitation/decline', { id })}>
              Decline
            </Button>
          </Group>
        </Section>
      ))}
      <Table label="Members" columns={columns} rows={members} rowKey={({ id }) => id} />
      {invitations.length > 0 && (
        <Section wide title="Invited" hint="They become members once they sign in and accept.">
          <ul className={styles.list}>
            {invitations.map(({ id, email, role, expires_at }) => (
              <li key={id}>
                <Group justify="space-between" gap="xs">
                  <span>
                    {email} · {roles[role]} · until <DateText value={expires_at} />
                  </span>
                  <DisabledReason
                    variant="subtle"
                    size="compact-sm"
                    reason={mayManage.reason}
                    aria-label={`Take back the invitation of ${email}`}
                    onClick={() => post('withdraw', { id })}
                  >
                    Take back
                  </DisabledReason>
                </Group>
              </li>
            ))}
          </ul>
        </Section>
      )}
      <Section
        title="Name of the account"
        hint={`Its number is ${account.id}. Name and number are on bills.`}
      >
        <NameForm key={account.name} name={account.name} reason={mayManage.reason} />
      </Section>
      <InviteDialog opened={inviting} account={account.name} onClose={() => invite(false)} />
      {leaving && (
        <ConfirmDialog
          opened
          danger
          confirm={leaving.is_self ? 'Leave' : 'Remove'}
          question={
            leaving.is_self
              ? `Leave ${account.name}? Its servers, sites and bills are no longer yours to see. An owner can invite you again.`
              : `Remove ${leaving.name} (${leaving.email})? They lose everything of ${account.name} at once. What they made stays.`
          }
          onClose={() => leave(null)}
          onConfirm={() => {
            post('remove', { id: leaving.id })
            leave(null)
          }}
        />
      )}
    </>
  )
}
