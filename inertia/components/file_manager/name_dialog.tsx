import { type ReactNode, useState } from 'react'
import { TextInput } from '@mantine/core'
import { Dialog } from '@ui/dialog'
import { fieldProps } from '@ui/form_field'
import { FormFrame } from '@ui/form_frame'
import type { CallResult } from '~/api_call'
import { noErrors } from '~/components/form/form_errors'

interface NameDialogProps {
  title: string
  label: string
  confirm: string
  initial?: string
  mayBeEmpty?: boolean
  description?: string
  sameIsFine?: boolean
  /** Additional fields below the name. */
  children?: ReactNode
  onConfirm: (name: string) => Promise<CallResult<unknown>>
  onClose: () => void
}

/** Mount it only while it is open. */
export function NameDialog(props: NameDialogProps) {
  const { title, onClose } = props
  return (
    <Dialog opened onClose={onClose} title={title}>
      <NameForm {...props} />
    </Dialog>
  )
}

function NameForm(props: NameDialogProps) {
  const { label, confirm, initial = '', description, onConfirm, onClose } = props
  const [name, setName] = useState(initial)
  const [placed, setPlaced] = useState(noErrors)
  const [busy, setBusy] = useState(false)
  const usable = (props.mayBeEmpty || name !== '') && (props.sameIsFine || name !== initial)

  const submit = async () => {
    setBusy(true)
    const { success, message, errors } = await onConfirm(name)
    setBusy(false)
    if (success) return setPlaced(noErrors)
    // The server's name of this field differs between calls. Other fields are lists of valid values, so any field error
    // belongs to this field.
    const isName = Object.keys(errors).length > 0
    setPlaced({ errors: isName ? { name: message } : {}, formError: isName ? null : message })
  }

  return (
    <FormFrame
      form={{ ...placed, busy, submit }}
      submit={confirm}
      reason={usable ? null : name === '' ? 'Enter a name.' : 'Enter a different name.'}
      onCancel={onClose}
    >
      <TextInput
        data-autofocus
        label={label}
        description={description}
        value={name}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        onFocus={(event) => {
          const dot = initial.lastIndexOf('.')
          event.currentTarget.setSelectionRange(0, dot > 0 ? dot : initial.length)
        }}
        {...fieldProps('name', placed.errors)}
        onChange={(event) => {
          setName(event.currentTarget.value)
          setPlaced(noErrors)
        }}
      />
      {props.children}
    </FormFrame>
  )
}
