import { useState } from 'react'
import { NativeSelect, Text } from '@mantine/core'
import { FormFrame } from '@ui/form_frame'
import { call } from '~/api_call'
import { noErrors } from '~/components/form/form_errors'
import { reloadChangingProps } from '~/components/live/reload_changing_props'
import { NewKeySecret, type KeyWithSecret } from './new_key_secret'

interface RotateSecretFormProps {
  vault: number
  accessKeyId: number
  /** Null for the vault's own secret. */
  keyId: number | null
  onDone: () => void
}

const overlaps = [
  { value: '0', label: 'Immediately' },
  { value: '3600', label: 'In 1 hour' },
  { value: '86400', label: 'In 24 hours' },
]

/** Programs can be updated while the old secret stays valid. */
export function RotateSecretForm({ vault, accessKeyId, keyId, onDone }: RotateSecretFormProps) {
  const [newKey, setNewKey] = useState<KeyWithSecret | null>(null)
  const [placed, setPlaced] = useState(noErrors)
  const [busy, setBusy] = useState(false)

  const submit = async (form: HTMLFormElement) => {
    const overlap = Number(new FormData(form).get('overlap'))
    setBusy(true)
    const answer = await call<Partial<KeyWithSecret>>(
      keyId === null ? '/vault/secret/rotate' : '/vault/key/rotate',
      {
        data: { id: vault, overlap, ...(keyId !== null && { key_id: keyId }) },
        toasts: 'successes',
      }
    )
    setBusy(false)
    const { secret_key: secret, access_key_id: id = String(accessKeyId) } = answer.data ?? {}
    if (!secret) return setPlaced({ errors: {}, formError: answer.message })
    setNewKey({ access_key_id: id, secret_key: secret })
    reloadChangingProps()
  }

  if (newKey) return <NewKeySecret newKey={newKey} isStored={keyId === null} onDone={onDone} />
  return (
    <FormFrame form={{ ...placed, busy, submit }} submit="Change secret key" onCancel={onDone}>
      <Text>This creates a new secret key. Both keys work until the old one expires.</Text>
      <NativeSelect label="Old secret key expires" name="overlap" data={overlaps} data-autofocus />
    </FormFrame>
  )
}
