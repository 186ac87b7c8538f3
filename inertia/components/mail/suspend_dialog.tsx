import { Text, TextInput } from '@mantine/core'
import { Dialog } from '@ui/dialog'
import { FormFrame } from '@ui/form_frame'
import { useCallForm } from '~/components/form/use_call_form'

interface SuspendEmailProps {
  email: { id: number; email: string }
  onClose: () => void
}

/** Suspends an address, with a reason that its owner reads. */
export function SuspendEmail({ email, onClose }: SuspendEmailProps) {
  return (
    <Dialog opened onClose={onClose} title={`Suspend ${email.email}`}>
      <SuspendForm email={email} onClose={onClose} />
    </Dialog>
  )
}

function SuspendForm({ email, onClose }: SuspendEmailProps) {
  const form = useCallForm({
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
