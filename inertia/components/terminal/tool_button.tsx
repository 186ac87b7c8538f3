import type { Ref } from 'react'
import type { Icon } from '@tabler/icons-react'
import styles from './terminal_panel.module.css'

interface ToolButtonProps {
  label: string
  icon: Icon
  onClick: () => void
  /** Whether a toggle button is on. */
  pressed?: boolean
  reason?: string | null
  /** Keyboard shortcut that does the same as the button. */
  keys?: string
  ref?: Ref<HTMLButtonElement>
}

export function ToolButton(props: ToolButtonProps) {
  const { label, icon: Icon, onClick, pressed, reason, keys, ref } = props
  return (
    <button
      ref={ref}
      type="button"
      className={styles.tool}
      aria-label={label}
      aria-pressed={pressed}
      aria-disabled={reason ? true : undefined}
      aria-description={reason ?? undefined}
      title={reason ?? (keys ? `${label} (${keys})` : label)}
      onClick={() => !reason && onClick()}
    >
      <Icon size={16} stroke={1.75} aria-hidden />
    </button>
  )
}
