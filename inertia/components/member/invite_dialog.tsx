import { NativeSelect, TextInput } from '@mantine/core'
import { Dialog } from '@ui/dialog'
import { FormFrame } from '@ui/form_frame'
import { useInertiaForm } from '~/components/form/use_inertia_form'
import { roleChoices } from './roles'
import type { MemberRole } from './types'

interface InviteDialogProps {
  opened: boolean
  account: string
  onClose: () => void
}

export function InviteDialog({ opened, account, onClose }: InviteDialogProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={`Invite to ${account}`}>
      <InviteForm onClose={onClose} />
    </Dialog>
  )
}

function InviteForm({ onClose }: Pick<InviteDialogProps, 'onClose'>) {
  const form = useInertiaForm(
    { email: '', role: 'developer' satisfies MemberRole },
    { to: '/profile/members/invite', onDone: onClose }
  )
  return (
    <FormFrame form={form} submit="Send invitation" onCancel={onClose}>
      <TextInput
        label="Email"
        type="email"
        description="We email the invitation to this address. The invitation expires after 7 days."
        required
        data-autofocus
        {...form.text('email')}
      />
      <NativeSelect label="Role" data={roleChoices} {...form.text('role')} />
    </FormFrame>
  )
}
