import { Text, TextInput } from '@mantine/core'
import { Dialog } from '@ui/dialog'
import { FormFrame } from '@ui/form_frame'
import { useApiForm } from '~/components/form/use_api_form'

interface SuspendSenderDialogProps {
  email: { id: number; email: string }
  onClose: () => void
}

/** The address's owner can read the reason. */
export function SuspendSenderDialog({ email, onClose }: SuspendSenderDialogProps) {
  return (
    <Dialog opened onClose={onClose} title={`Suspend ${email.email}`}>
      <SuspendSenderForm email={email} onClose={onClose} />
    </Dialog>
  )
}

function SuspendSenderForm({ email, onClose }: SuspendSenderDialogProps) {
  const form = useApiForm({
    to: '/admin/email/suspend',
    send: (fields) => ({ id: email.id, reason: fields.get('reason') }),
    onDone: onClose,
  })
  return (
    <FormFrame form={form} submit="Suspend address" danger onCancel={onClose}>
      <Text>
        The address sends no more email. Waiting messages stay in the queue, and you can resume the
        address at any time.
      </Text>
      <TextInput
        label="Reason"
        description="The customer can read this reason"
        required
        data-autofocus
        maxLength={500}
        {...form.field('reason')}
      />
    </FormFrame>
  )
}
