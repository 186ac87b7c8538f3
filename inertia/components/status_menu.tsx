import { Menu, UnstyledButton } from '@mantine/core'
import IconChevronDown from '@tabler/icons-react/dist/esm/icons/IconChevronDown.mjs'
import { StatusBadge } from '@ui/status_badge'
import styles from './status_menu.module.css'

interface StatusMenuProps {
  /** Accessible name without the status, such as "Status of shop". */
  label: string
  status: string
  statuses: Record<string, string>
  choices: string[]
  busy?: boolean
  onPick: (status: string) => void
}

export function StatusMenu({ label, status, statuses, choices, busy, onPick }: StatusMenuProps) {
  return (
    <Menu position="bottom-start" shadow="md" withinPortal>
      <Menu.Target>
        <UnstyledButton
          className={styles.button}
          aria-label={`${label}: ${statuses[status] ?? status}`}
          disabled={busy}
          data-busy={busy || undefined}
        >
          <StatusBadge status={status} label={statuses[status]} />
          <IconChevronDown size={14} stroke={1.75} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {choices
          .filter((key) => key !== status)
          .map((key) => (
            <Menu.Item key={key} onClick={() => onPick(key)}>
              <StatusBadge status={key} label={statuses[key]} />
            </Menu.Item>
          ))}
      </Menu.Dropdown>
    </Menu>
  )
}
