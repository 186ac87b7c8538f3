import { useForm } from '@inertiajs/react'
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { field } from '@ui/form_field'

interface SuspendDialogProps {
  customer: { id: number; name: string }
  opened: boolean
  onClose: () => void
}

/** Suspends an account, with a reason that its members read. */
export function SuspendDialog({ customer, opened, onClose }: SuspendDialogProps) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={`Suspend ${customer.name}`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {opened && <SuspendForm id={customer.id} onClose={onClose} />}
    </Modal>
  )
}

function SuspendForm({ id, onClose }: { id: number; onClose: () => void }) {
  const form = useForm({ id, reason: '' })
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        form.post('/admin/customer/suspend', { preserveScroll: true, onSuccess: onClose })
      }}
    >
      <Stack gap="md">
        <Text>
          Its server instances stop and its sites with them. Its members can read everything and
          pay. Nothing is deleted, and resuming undoes just this.
        </Text>
        <TextInput
          {...field('reason', form.errors)}
          label="Reason"
          description="The customer reads it"
          required
          data-autofocus
          maxLength={500}
          value={form.data.reason}
          onChange={(event) => form.setData('reason', event.currentTarget.value)}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" color="red" loading={form.processing}>
            Suspend customer
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
