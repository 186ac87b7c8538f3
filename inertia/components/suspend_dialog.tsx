import { Text, TextInput } from '@mantine/core'
import { Dialog } from '@ui/dialog'
import { FormFrame } from '@ui/form_frame'
import { useApiForm } from '~/components/form/use_api_form'

interface SuspendDialogProps {
  to: '/admin/email/suspend' | '/admin/vault/suspend'
  id: number
  name: string
  submit: string
  /** Text that says what the suspension stops and what still works. */
  consequences: string
  onClose: () => void
}

export function SuspendDialog(props: SuspendDialogProps) {
  return (
    <Dialog opened onClose={props.onClose} title={`Suspend ${props.name}`}>
      <SuspendForm {...props} />
    </Dialog>
  )
}

function SuspendForm({ to, id, submit, consequences, onClose }: SuspendDialogProps) {
  const form = useApiForm({
    to,
    send: (fields) => ({ id, reason: fields.get('reason') }),
    onDone: onClose,
  })
  return (
    <FormFrame form={form} submit={submit} danger onCancel={onClose}>
      <Text>{consequences}</Text>
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
