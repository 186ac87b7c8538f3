import { useState } from 'react'
import { NativeSelect, Text } from '@mantine/core'
import { FormFrame } from '@ui/form_frame'
import { useApiForm } from '~/components/form/use_api_form'
import { NewKeySecret, type KeyWithSecret } from './new_key_secret'

interface RotateSecretFormProps {
  to: '/vault/secret/rotate' | '/vault/key/rotate' | '/email/secret/rotate'
  /** `id` of the vault or sender address. `key_id`: the access key to replace, for a vault with several. */
  of: { id: number; key_id?: number }
  /** The account's access key ID, for the main secret of a vault or sender address, which has no separate ID. */
  accessKeyId: number
  onDone: () => void
}

const overlaps = [
  { value: '0', label: 'Immediately' },
  { value: '3600', label: 'In 1 hour' },
  { value: '86400', label: 'In 24 hours' },
]

export function RotateSecretForm({ to, of, accessKeyId, onDone }: RotateSecretFormProps) {
  const [newKey, setNewKey] = useState<KeyWithSecret | null>(null)
  const form = useApiForm({
    to,
    send: (fields) => ({ ...of, overlap: Number(fields.get('overlap')) }),
    onDone: (data) => {
      const created = data as { secret_key: string; access_key_id?: string | number }
      const id = String(created.access_key_id ?? accessKeyId)
      setNewKey({ access_key_id: id, secret_key: created.secret_key })
    },
  })

  if (newKey)
    return <NewKeySecret newKey={newKey} isStored={of.key_id === undefined} onDone={onDone} />
  return (
    <FormFrame form={form} submit="Change secret key" onCancel={onDone}>
      <Text>This creates a new secret key. Both keys work until the old one expires.</Text>
      <NativeSelect
        label="Old secret key expires"
        data={overlaps}
        data-autofocus
        {...form.field('overlap')}
      />
    </FormFrame>
  )
}
