import { useEffect, useRef, type ReactNode } from 'react'
import { Alert, Button, Group, Stack } from '@mantine/core'
import { useDialogCloseGuard } from './dialog'
import { ButtonWithDisabledReason } from './button_with_disabled_reason'
import type { FieldErrors } from './form_field'
import styles from './form_frame.module.css'

/** A form as its frame needs it, however it is sent. */
export interface FormHandle {
  errors: FieldErrors
  /** what belongs to no field; said above the buttons */
  formError: string | null
  busy: boolean
  submit: (form: HTMLFormElement) => void
  /** where the browser submits the form while the page's scripts have not loaded */
  native?: { action: string; csrfToken: string }
}

interface FormFrameProps {
  form: FormHandle
  /** the verb on the button */
  submit: string
  /** where it is a dialog's, or can be left */
  onCancel?: () => void
  /** the red button of what cannot be undone */
  danger?: boolean
  /** why it cannot be sent now */
  reason?: string | null
  /** what did not happen, above the refusal: "Nothing was ordered" */
  nothing?: string
  /** where the buttons are: right in dialogs, left on pages, as wide as a narrow form */
  buttons?: 'right' | 'left' | 'wide'
  /** not the first thing to do on its page */
  quiet?: boolean
  /** the button that has the focus in a dialog without fields */
  focus?: 'cancel' | 'submit'
  /** beside the buttons: a total */
  aside?: ReactNode
  /** below the buttons: other ways to go on */
  below?: ReactNode
  children: ReactNode
}

/**
 * The frame of every form: fields, what was refused, buttons. An error has one place: at its field,
 * or above the buttons where it has none; the first wrong field gets the focus. Enter sends.
 */
export function FormFrame(props: FormFrameProps) {
  const { form, submit, onCancel, danger, reason, nothing, quiet, aside, below, children } = props
  const { errors, formError, busy } = form
  const { buttons = 'right', focus } = props
  const element = useRef<HTMLFormElement>(null)
  const alertRef = useRef<HTMLDivElement>(null)
  useDialogCloseGuard(element)

  useEffect(() => {
    element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [errors])

  // In a long form the buttons may be out of sight, and with them what was refused.
  useEffect(() => {
    if (formError) alertRef.current?.scrollIntoView({ block: 'nearest' })
  }, [errors, formError])

  return (
    <form
      ref={element}
      noValidate
      // With GET the browser would put passwords into the URL if the form is submitted before the scripts
      // have loaded.
      method="post"
      action={form.native?.action}
      onSubmit={(event) => {
        event.preventDefault()
        if (!busy && !reason) form.submit(event.currentTarget)
      }}
    >
      {form.native && <input type="hidden" name="_csrf" value={form.native.csrfToken} />}
      <Stack gap="md">
        {children}
        {formError && (
          <Alert ref={alertRef} color="red" role="alert" title={nothing}>
            {formError}
          </Alert>
        )}
        <Group gap="xs" className={styles.foot} data-buttons={buttons}>
          {aside}
          <Group gap="xs" className={styles.buttons}>
            {onCancel && (
              <Button
                variant="default"
                data-autofocus={focus === 'cancel' || undefined}
                onClick={onCancel}
              >
                Cancel
              </Button>
            )}
            <ButtonWithDisabledReason
              type="submit"
              data-autofocus={focus === 'submit' || undefined}
              color={danger ? 'red' : undefined}
              variant={quiet ? 'default' : undefined}
              fullWidth={buttons === 'wide'}
              loading={busy}
              reason={reason}
            >
              {submit}
            </ButtonWithDisabledReason>
          </Group>
        </Group>
        {below}
      </Stack>
    </form>
  )
}
