import { useState } from 'react'
import { Head } from '@inertiajs/react'
import { Button, Group, NativeSelect, Tooltip } from '@mantine/core'
import { DangerDialog } from '@ui/confirm_dialog'
import { DateText } from '@ui/date_text'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { PageHeader } from '@ui/page_header'
import { Link } from '~/components/link'
import { Table, type Column } from '~/components/list/table'
import { InviteDialog } from '~/components/member/invite_dialog'
import { AccountNameForm } from '~/components/member/account_name_form'
import type { Member, MembersPage } from '~/components/member/types'
import { ProfileSection } from '~/components/profile/profile_section'
import { postVisit } from '~/visit'
import styles from './members.module.css'

export default function Members(page: MembersPage) {
  const { account, members, roles, invitations, invited, canManage } = page
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
            onChange={(event) =>
              postVisit('/profile/members/update', {
                id: member.id,
                role: event.currentTarget.value,
              })
            }
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
        <ButtonWithDisabledReason
          variant="subtle"
          size="compact-sm"
          color="red"
          reason={member.can.remove.reason}
          aria-label={member.is_self ? 'Leave account' : `Remove ${member.name}`}
          onClick={() => leave(member)}
        >
          {member.is_self ? 'Leave' : 'Remove'}
        </ButtonWithDisabledReason>
      ),
    },
  ]

  return (
    <>
      <Head title="Members" />
      <PageHeader
        back={<Link href="/profile">Profile</Link>}
        title="Members"
        hint={`People with access to ${account.name}. Servers, sites and bills belong to the account, not to one person.`}
        action={
          <ButtonWithDisabledReason reason={canManage.reason} onClick={() => invite(true)}>
            Invite
          </ButtonWithDisabledReason>
        }
      />
      {invited.map(({ id, account: name, inviter, role }) => (
        <ProfileSection
          key={id}
          wide
          title={`Invitation to ${name}`}
          hint={`${inviter} invites you as ${roles[role]}.`}
        >
          <Group gap="xs">
            <Button onClick={() => postVisit('/invitation/accept', { id })}>Accept</Button>
            <Button variant="default" onClick={() => postVisit('/invitation/decline', { id })}>
              Decline
            </Button>
          </Group>
        </ProfileSection>
      ))}
      <Table label="Members" columns={columns} rows={members} rowKey={({ id }) => id} />
      {invitations.length > 0 && (
        <ProfileSection
          wide
          title="Invited"
          hint="They become members after they sign in and accept."
        >
          <ul className={styles.list}>
            {invitations.map(({ id, email, role, expires_at }) => (
              <li key={id}>
                <Group justify="space-between" gap="xs">
                  <span>
                    {email} · {roles[role]} · expires <DateText value={expires_at} />
                  </span>
                  <ButtonWithDisabledReason
                    variant="subtle"
                    size="compact-sm"
                    reason={canManage.reason}
                    aria-label={`Revoke invitation to ${email}`}
                    onClick={() => postVisit('/profile/members/withdraw', { id })}
                  >
                    Revoke
                  </ButtonWithDisabledReason>
                </Group>
              </li>
            ))}
          </ul>
        </ProfileSection>
      )}
      <ProfileSection
        title="Account name"
        hint={`Account ID ${account.id}. The name and ID appear on bills.`}
      >
        <AccountNameForm key={account.name} name={account.name} reason={canManage.reason} />
      </ProfileSection>
      <InviteDialog opened={inviting} account={account.name} onClose={() => invite(false)} />
      {leaving && (
        <DangerDialog
          opened
          confirm={leaving.is_self ? 'Leave account' : 'Remove member'}
          question={
            leaving.is_self
              ? `Leave ${account.name}? You lose access to its servers, sites and bills. An owner can invite you again.`
              : `Remove ${leaving.name} (${leaving.email})? They lose access to ${account.name} immediately. Everything they created stays.`
          }
          onClose={() => leave(null)}
          onConfirm={() => {
            postVisit('/profile/members/remove', { id: leaving.id })
            leave(null)
          }}
        />
      )}
    </>
  )
}
