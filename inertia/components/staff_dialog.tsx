import { useForm } from '@inertiajs/react'
import { Button, Group, Modal, NativeSelect, TextInput } from '@mantine/core'
import { field } from '@ui/form_field'
import type { StaffRow } from '#identity/transformers/pages'

interface StaffDialogProps {
  /** whom to edit; null invites somebody */
  person: StaffRow | null
  opened: boolean
  onClose: () => void
}

const roles = [
  { value: 'support', label: 'Support: sees everything, answers chat' },
  { value: 'administrator', label: 'Administrator: everything' },
]

/** Invites a member of staff, or changes one. */
export function StaffDialog({ person, opened, onClose }: StaffDialogProps) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={person ? `Edit ${person.name}` : 'Add user'}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {opened && <StaffForm key={person?.id ?? 0} person={person} onClose={onClose} />}
    </Modal>
  )
}

function StaffForm({ person, onClose }: Omit<StaffDialogProps, 'opened'>) {
  const form = useForm({
    name: person?.name ?? '',
    email: person?.email ?? '',
    title: person?.title ?? '',
    role: person?.role ?? 'support',
  })
  const { data, errors, processing } = form
  const fixed = person && person.can.changeRole !== true ? person.can.changeRole : null

  return (
    <form
      style={{ display: 'grid', gap: 14 }}
      onSubmit={(event) => {
        event.preventDefault()
        if (person) form.transform((values) => ({ ...values, id: person.id }))
        form.post(person ? '/admin/staff/update' : '/admin/staff/invite', {
          preserveScroll: true,
          onSuccess: onClose,
        })
      }}
    >
      <TextInput
        {...field('name', errors)}
        label="Name"
        required
        data-autofocus
        maxLength={100}
        value={data.name}
        onChange={(event) => form.setData('name', event.currentTarget.value)}
      />
      <TextInput
        {...field('email', errors)}
        label="Email"
        type="email"
        required
        disabled={person !== null}
        description={
          person ? 'People change their email in their profile.' : 'The invitation goes there.'
        }
        value={data.email}
        onChange={(event) => form.setData('email', event.currentTarget.value)}
      />
      <TextInput
        {...field('title', errors)}
        label="Title"
        maxLength={100}
        value={data.title}
        onChange={(event) => form.setData('title', event.currentTarget.value)}
      />
      <NativeSelect
        {...field('role', errors)}
        label="Role"
        data={roles}
        disabled={fixed !== null}
        description={fixed ?? undefined}
        value={data.role}
        onChange={(event) => form.setData('role', event.currentTarget.value as StaffRow['role'])}
      />
      <Group justify="flex-end" gap="xs" mt="xs">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" loading={processing}>
          {person ? 'Save' : 'Send invitation'}
        </Button>
      </Group>
    </form>
  )
}
