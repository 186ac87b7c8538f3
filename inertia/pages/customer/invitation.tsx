import { Head } from '@inertiajs/react'
import { Button, Group, Text } from '@mantine/core'
import type { InvitationPage } from '#accounts/transformers/page_props'
import { PageHeader } from '@ui/page_header'
import { postVisit } from '~/visit'

export default function Invitation({ invitation }: InvitationPage) {
  const { id, account, inviter, role } = invitation
  const answer = (what: 'accept' | 'decline') => postVisit(`/invitation/${what}`, { id })
  return (
    <>
      <Head title="Invitation" />
      <PageHeader title={`Join ${account}?`} hint={`${inviter} invites you as ${role}.`} />
      <Text maw={560}>
        You keep your own account. After you accept, switch between accounts in the user menu.
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
