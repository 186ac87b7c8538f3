import { useState } from 'react'
import { NativeSelect, Text } from '@mantine/core'
import { FormFrame } from '@ui/form_frame'
import { call } from '~/api_call'
import { noErrors } from '~/components/form/form_errors'
import { reloadChangingProps } from '~/components/live/reload_changing_props'
import { NewKeySecret, type KeyWithSecret } from '~/components/vault/new_key_secret'

const overlaps = [
  { value: '0', label: 'Immediately' },
  { value: '3600', label: 'In 1 hour' },
  { value: '86400', label: 'In 24 hours' },
]

/** Programs can be updated while the old secret stays valid. */
export function RotateSecretForm({ id, onDone }: { id: number; onDone: () => void }) {
  const [newKey, setNewKey] = useState<KeyWithSecret | null>(null)
  const [placed, setPlaced] = useState(noErrors)
  const [busy, setBusy] = useState(false)

  const submit = async (form: HTMLFormElement) => {
    const overlap = Number(new FormData(form).get('overlap'))
    setBusy(true)
    const answer = await call<KeyWithSecret>('/email/secret/rotate', {
      data: { id, overlap },
      toasts: 'successes',
    })
    setBusy(false)
    if (!answer.data) return setPlaced({ errors: {}, formError: answer.message })
    setNewKey({ ...answer.data, access_key_id: String(answer.data.access_key_id) })
    reloadChangingProps()
  }

  if (newKey) return <NewKeySecret newKey={newKey} isStored onDone={onDone} />
  return (
    <FormFrame form={{ ...placed, busy, submit }} submit="Change secret key" onCancel={onDone}>
      <Text>This creates a new secret key. Both keys work until the old one expires.</Text>
      <NativeSelect label="Old secret key expires" name="overlap" data={overlaps} data-autofocus />
    </FormFrame>
  )
}
