import { Text, TextInput } from '@mantine/core'
import { Dialog } from '@ui/dialog'
import { FormFrame } from '@ui/form_frame'
import { useApiForm } from '~/components/form/use_api_form'

interface SuspendVaultDialogProps {
  vault: { id: number; name: string }
  onClose: () => void
}

/** The vault's owner can read the reason. */
export function SuspendVaultDialog({ vault, onClose }: SuspendVaultDialogProps) {
  return (
    <Dialog opened onClose={onClose} title={`Suspend ${vault.name}`}>
      <SuspendVaultForm vault={vault} onClose={onClose} />
    </Dialog>
  )
}

function SuspendVaultForm({ vault, onClose }: SuspendVaultDialogProps) {
  const form = useApiForm({
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
