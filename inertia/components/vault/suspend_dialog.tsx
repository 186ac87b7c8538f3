import { Text, TextInput } from '@mantine/core'
import { Dialog } from '@ui/dialog'
import { FormFrame } from '@ui/form_frame'
import { useCallForm } from '~/components/form/use_call_form'

interface SuspendVaultProps {
  vault: { id: number; name: string }
  onClose: () => void
}

/** Suspends a vault, with a reason that its owner reads. */
export function SuspendVault({ vault, onClose }: SuspendVaultProps) {
  return (
    <Dialog opened onClose={onClose} title={`Suspend ${vault.name}`}>
      <SuspendForm vault={vault} onClose={onClose} />
    </Dialog>
  )
}

function SuspendForm({ vault, onClose }: SuspendVaultProps) {
  const form = useCallForm({
    to: '/admin/vault/suspend',
    send: (fields) => ({ id: vault.id, reason: fields.get('reason') }),
    onDone: onClose,
  })
  return (
    <FormFrame form={form} submit="Suspend vault" danger onCancel={onClose}>
      <Text>
        Addresses, links, keys and uploads stop working. The files are kept, and you can resume the
        vault at any time.
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
