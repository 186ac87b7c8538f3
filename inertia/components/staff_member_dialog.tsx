import { NativeSelect, TextInput } from '@mantine/core'
import type { StaffRow } from '#identity/transformers/page_props'
import { useInertiaForm } from '~/components/form/use_inertia_form'
import { Dialog } from '@ui/dialog'
import { FormFrame } from '@ui/form_frame'

interface StaffMemberDialogProps {
  /** Person to edit; null invites a new one. */
  person: StaffRow | null
  opened: boolean
  onClose: () => void
}

const roles = [
  { value: 'support', label: 'Support: can view everything and answer chats' },
  { value: 'administrator', label: 'Administrator: full access' },
]

export function StaffMemberDialog({ person, opened, onClose }: StaffMemberDialogProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={person ? `Edit ${person.name}` : 'Add user'}>
      <StaffMemberForm key={person?.id ?? 0} person={person} onClose={onClose} />
    </Dialog>
  )
}

function StaffMemberForm({ person, onClose }: Omit<StaffMemberDialogProps, 'opened'>) {
  const form = useInertiaForm(
    {
      name: person?.name ?? '',
      email: person?.email ?? '',
      title: person?.title ?? '',
      role: person?.role ?? 'support',
    },
    {
      to: person ? '/admin/staff/update' : '/admin/staff/invite',
      extraFields: person ? { id: person.id } : {},
      onDone: onClose,
    }
  )
  const fixed = person && person.can.changeRole !== true ? person.can.changeRole : null

  return (
    <FormFrame form={form} submit={person ? 'Save' : 'Send invitation'} onCancel={onClose}>
      <TextInput label="Name" required data-autofocus maxLength={100} {...form.text('name')} />
      <TextInput
        label="Email"
        type="email"
        required
        disabled={person !== null}
        description={
          person
            ? 'Staff members change their own email on their profile page.'
            : 'We email the invitation to this address.'
        }
        {...form.text('email')}
      />
      <TextInput label="Title" maxLength={100} {...form.text('title')} />
      <NativeSelect
        label="Role"
        data={roles}
        disabled={fixed !== null}
        description={fixed ?? undefined}
        {...form.text('role')}
      />
    </FormFrame>
  )
}
