import { useState, type ReactNode } from 'react'
import { List, Text } from '@mantine/core'
import { Dialog } from './dialog'
import { fieldProps, type FieldErrors } from './form_field'
import { FormFrame } from './form_frame'
import type { ActionResult } from './notify'
import { ConfirmNameInput } from './confirm_name_input'

interface ConfirmDialogProps {
  opened: boolean
  /** Default: the text of the button. */
  title?: string
  /** If the specification gives the wording, it must not be changed. */
  question?: string
  children?: ReactNode
  confirm: string
  busy?: boolean
  /**
   * Runs the action. If it succeeds, the dialog closes. If it fails, the dialog shows the error. If it returns nothing,
   * the dialog stays open until the caller closes it.
   */
  onConfirm: (typed: string) => void | Promise<ActionResult | void>
  onClose: () => void
}

interface DangerDialogProps extends ConfirmDialogProps {
  /** Data that will be lost permanently, one line each. */
  losses?: string[]
  name?: string
  mismatch?: string
}

export function ConfirmDialog({ opened, onClose, title, ...rest }: ConfirmDialogProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={title ?? rest.confirm}>
      <Question {...rest} onClose={onClose} />
    </Dialog>
  )
}

/** If `name` is set, the person must type this name of the resource. */
export function DangerDialog({ opened, onClose, title, ...rest }: DangerDialogProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={title ?? rest.confirm}>
      <Question {...rest} danger onClose={onClose} />
    </Dialog>
  )
}

function Question(props: Omit<DangerDialogProps, 'opened' | 'title'> & { danger?: boolean }) {
  const { question, losses, name, confirm, danger, children, onConfirm, onClose } = props
  const { mismatch = 'This does not match the name.' } = props
  const [errors, setErrors] = useState<FieldErrors>({})
  const [error, setError] = useState<string | null>(null)
  const [waiting, wait] = useState(false)

  const submit = async (form: HTMLFormElement) => {
    const typed = String(new FormData(form).get('typed_name') ?? '')
    const isWrong = name !== undefined && typed !== name
    setErrors(isWrong ? { typed_name: mismatch } : {})
    setError(null)
    if (isWrong) return
    wait(true)
    const answer = await onConfirm(typed)
    wait(false)
    if (answer?.success) onClose()
    else if (answer) setError(answer.message)
  }

  return (
    <FormFrame
      form={{ errors, formError: error, busy: waiting || props.busy === true, submit }}
      submit={confirm}
      focus={name !== undefined ? undefined : danger ? 'cancel' : 'submit'}
      danger={danger}
      onCancel={onClose}
    >
      {question && <Text style={{ overflowWrap: 'anywhere' }}>{question}</Text>}
      {losses && (
        <div>
          <Text>This cannot be undone. You lose:</Text>
          <List mt={6} spacing={2}>
            {losses.map((loss) => (
              <List.Item key={loss}>{loss}</List.Item>
            ))}
          </List>
        </div>
      )}
      {children}
      {name !== undefined && (
        <ConfirmNameInput of={name} data-autofocus {...fieldProps('typed_name', errors)} />
      )}
    </FormFrame>
  )
}
