import { useState } from 'react'
import { FormFrame } from '@ui/form_frame'
import { NameInput } from '@ui/name_input'
import { useApiForm } from '~/components/form/use_api_form'

export function CreateVaultForm({ onDone }: { onDone: () => void }) {
  const [name, setName] = useState('')
  const form = useApiForm({ to: '/vault/store', send: () => ({ name }), onDone })
  return (
    <FormFrame form={form} submit="Create vault" nothing="Not created" onCancel={onDone}>
      <NameInput
        label="Name"
        description="3 to 40 letters, digits and hyphens"
        placeholder="photos"
        required
        maxLength={40}
        data-autofocus
        value={name}
        onChange={setName}
        {...form.field('name')}
      />
    </FormFrame>
  )
}
