import { useForm } from '@inertiajs/react'
import { Button, Group, Modal, NativeSelect, Stack, TextInput } from '@mantine/core'
import { field } from '@ui/form_field'
import { roleChoices } from './roles'
import type { MemberRole } from './types'

interface InviteDialogProps {
  opened: boolean
  /** the account's name */
  account: string
  onClose: () => void
}

/** Invites somebody to the account by their address. */
export function InviteDialog({ opened, account, onClose }: InviteDialogProps) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={`Invite to ${account}`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {opened && <InviteForm onClose={onClose} />}
    </Modal>
  )
}

function InviteForm({ onClose }: Pick<InviteDialogProps, 'onClose'>) {
  const form = useForm<{ email: string; role: MemberRole }>({ email: '', role: 'developer' })
  const { data, errors, processing } = form
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        form.post('/profile/members/invite', { preserveScroll: true, onSuccess: onClose })
      }}
    >
      <Stack gap="md">
        <TextInput
          {...field('email', errors)}
          label="Email"
          type="email"
          description="The invitation goes there and can be accepted for 7 days."
          required
          data-autofocus
          value={data.email}
          onChange={(event) => form.setData('email', event.currentTarget.value)}
        />
        <NativeSelect
          {...field('role', errors)}
          label="Role"
          data={roleChoices}
          value={data.role}
          onChange={(event) => form.setData('role', event.currentTarget.value as MemberRole)}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={processing}>
            Send invitation
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
