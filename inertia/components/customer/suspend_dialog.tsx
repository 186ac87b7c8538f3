import { Text, TextInput } from '@mantine/core'
import { Dialog } from '@ui/dialog'
import { FormFrame } from '@ui/form_frame'
import { useInertiaForm } from '~/components/form/use_inertia_form'

interface SuspendDialogProps {
  customer: { id: number; name: string }
  opened: boolean
  onClose: () => void
}

export function SuspendDialog({ customer, opened, onClose }: SuspendDialogProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={`Suspend ${customer.name}`}>
      <SuspendForm id={customer.id} onClose={onClose} />
    </Dialog>
  )
}

function SuspendForm({ id, onClose }: { id: number; onClose: () => void }) {
  const form = useInertiaForm(
    { reason: '' },
    { to: '/admin/customer/suspend', extraFields: { id }, onDone: onClose }
  )
  return (
    <FormFrame form={form} submit="Suspend customer" danger onCancel={onClose}>
      <Text>
        The server instances and sites of this customer stop. Its members can still view everything
        and pay bills. Nothing is deleted, and you can resume the customer at any time.
      </Text>
      <TextInput
        label="Reason"
        description="The customer can read this reason"
        required
        data-autofocus
        maxLength={500}
        {...form.text('reason')}
      />
    </FormFrame>
  )
}
