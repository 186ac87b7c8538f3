import { Head, router } from '@inertiajs/react'
import { Button, Group, Text } from '@mantine/core'
import { PageHeader } from '@ui/page_header'

interface InvitationProps {
  invitation: { id: string; account: string; inviter: string; role: string }
}

/** Where the link of an invitation leads. */
export default function Invitation({ invitation }: InvitationProps) {
  const { id, account, inviter, role } = invitation
  const answer = (what: 'accept' | 'decline') => router.post(`/invitation/${what}`, { id })
  return (
    <>
      <Head title="Invitation" />
      <PageHeader title={`Join ${account}?`} hint={`${inviter} invites you as ${role}.`} />
      <Text maw={560}>
        You keep your own account. Once you have accepted, you choose in the menu at your name which
        of them you act for.
      </Text>
      <Group gap="xs" mt="lg">
        <Button onClick={() => answer('accept')}>Accept</Button>
        <Button variant="default" onClick={() => answer('decline')}>
          Decline
        </Button>
      </Group>
    </>
  )
}
