import type { ReactNode } from 'react'
import { Button, Tooltip, type ButtonProps } from '@mantine/core'

interface DisabledReasonProps extends Omit<ButtonProps, 'disabled'> {
  /** If it is empty or not set, the button is enabled. */
  reason?: string | null
  type?: 'button' | 'submit'
  'data-autofocus'?: boolean
  onClick?: () => void
  children: ReactNode
}

/** A button that stays visible when it is disabled, and then shows the reason on hover, focus and touch. */
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
