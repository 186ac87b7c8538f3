import type { ReactNode } from 'react'
import { Button, Tooltip, type ButtonProps } from '@mantine/core'

interface DisabledReasonProps extends Omit<ButtonProps, 'disabled'> {
  /** why it cannot be done now; without one the button works */
  reason?: string | null
  type?: 'button' | 'submit'
  'data-autofocus'?: boolean
  onClick?: () => void
  children: ReactNode
}

/** A button that cannot act says why, by pointer and by keyboard, instead of hiding. */
export function ButtonWithDisabledReason({
  reason,
  onClick,
  children,
  ...rest
}: DisabledReasonProps) {
  if (!reason) {
    return (
      <Button {...rest} onClick={onClick}>
        {children}
      </Button>
    )
  }
  return (
    <Tooltip label={reason} events={{ hover: true, focus: true, touch: true }}>
      <Button
        {...rest}
        aria-disabled
        data-disabled
        aria-description={reason}
        onClick={(event) => event.preventDefault()}
      >
        {children}
      </Button>
    </Tooltip>
  )
}
