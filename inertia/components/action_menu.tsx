import { Fragment } from 'react'
import { ActionIcon, Button, Menu } from '@mantine/core'
import IconChevronDown from '@tabler/icons-react/dist/esm/icons/IconChevronDown.mjs'
import IconDots from '@tabler/icons-react/dist/esm/icons/IconDots.mjs'
import styles from './action_menu.module.css'

export interface Action {
  label: string
  /** Reason why the action is disabled. */
  reason?: string | null
  danger?: boolean
  onClick: () => void
}

interface ActionMenuProps {
  /** Accessible name: "Actions for shop". */
  label: string
  /** Text of a button that replaces the dots. */
  text?: string
  busy?: boolean
  actions: Action[]
}

export function ActionMenu({ label, text, busy, actions }: ActionMenuProps) {
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        {text ? (
          <Button
            variant="default"
            loading={busy}
            aria-label={label}
            rightSection={<IconChevronDown size={14} stroke={1.75} aria-hidden />}
          >
            {text}
          </Button>
        ) : (
          <ActionIcon
            variant="subtle"
            color="gray"
            size={30}
            loading={busy}
            aria-label={label}
            data-keep
          >
            <IconDots size={18} stroke={1.75} aria-hidden />
          </ActionIcon>
        )}
      </Menu.Target>
      <Menu.Dropdown aria-label={label}>
        {actions.map(({ label: name, reason, danger, onClick }) => (
          <Fragment key={name}>
            {danger && <Menu.Divider />}
            <Menu.Item
              color={danger ? 'red' : undefined}
              data-disabled={reason ? true : undefined}
              aria-description={reason ?? undefined}
              className={reason ? styles.barred : undefined}
              onClick={() => !reason && onClick()}
            >
              {name}
              {reason && <small className={styles.why}>{reason}</small>}
            </Menu.Item>
          </Fragment>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
