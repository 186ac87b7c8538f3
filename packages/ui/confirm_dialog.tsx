import type { ReactNode } from 'react'
import { Button, Group, Modal, Text } from '@mantine/core'

interface ConfirmDialogProps {
  opened: boolean
  /** the question, letter for letter */
  question: string
  /** more to know, or a field to fill */
  children?: ReactNode
  /** the verb on the button */
  confirm: string
  danger?: boolean
  busy?: boolean
  onConfirm: () => void
  onClose: () => void
}

/** Asks before something is done. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { opened, question, children, confirm, danger, busy, onConfirm, onClose } = props
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={confirm}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Text style={{ overflowWrap: 'anywhere' }}>{question}</Text>
      {children}
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={onClose} data-autofocus={danger || undefined}>
          Cancel
        </Button>
        <Button
          color={danger ? 'red' : undefined}
          loading={busy}
          onClick={onConfirm}
          data-autofocus={danger ? undefined : true}
        >
          {confirm}
        </Button>
      </Group>
    </Modal>
  )
}
