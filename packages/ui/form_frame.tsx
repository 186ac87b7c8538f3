import { useEffect, useRef, type ReactNode } from 'react'
import { Alert, Button, Group, Stack } from '@mantine/core'
import { useDialogCloseGuard } from './dialog'
import { ButtonWithDisabledReason } from './button_with_disabled_reason'
import type { FieldErrors } from './form_field'
import styles from './form_frame.module.css'

export interface FormHandle {
  errors: FieldErrors
  /** Error that belongs to no field. */
  formError: string | null
  busy: boolean
  submit: (form: HTMLFormElement) => void
  /**
   * For submitting the form before the page's scripts have loaded: the URL to which the browser sends it, and the CSRF
   * token.
   */
  native?: { action: string; csrfToken: string }
}

interface FormFrameProps {
  form: FormHandle
  submit: string
  /** If undefined, the form has no Cancel button. */
  onCancel?: () => void
  danger?: boolean
  reason?: string | null
  /** Title above an error, which says that nothing happened, for example "Not ordered". */
  nothing?: string
  /** Position of the buttons. `right`: in dialogs. `left`: on pages. `wide`: full width, in narrow forms. */
  buttons?: 'right' | 'left' | 'wide'
  /** Whether the submit button is secondary, because the form is not the page's main action. */
  quiet?: boolean
  /** Button that gets the focus in a dialog without fields. */
  focus?: 'cancel' | 'submit'
  aside?: ReactNode
  below?: ReactNode
  children: ReactNode
}

/**
 * Shows each error once: at its field, or above the buttons if it belongs to no field. Focuses the first invalid
 * field.
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

  // Scrolls to the error above the buttons, which may be out of sight in a long form.
  useEffect(() => {
    if (formError) alertRef.current?.scrollIntoView({ block: 'nearest' })
  }, [errors, formError])

  return (
    <form
      ref={element}
      noValidate
      // POST, because if the form is submitted before the scripts have loaded, a GET would put passwords into the URL.
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
