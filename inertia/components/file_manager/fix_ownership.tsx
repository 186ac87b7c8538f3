import { Text } from '@mantine/core'
import { ConfirmDialog } from '@ui/confirm_dialog'
import { call } from '~/call'
import { type FileArea, fileManager } from './addresses'

interface FixOwnershipProps {
  opened: boolean
  instance: number | null
  area: FileArea
  onClose: () => void
  onDone: () => void
}

/** Asks, and then has everything in the web root given back to its user. */
export function FixOwnership({ opened, instance, area, onClose, onDone }: FixOwnershipProps) {
  const fix = async () => {
    const answer = await call(`${fileManager(area)}/fix-ownership`, {
      data: { server_instance_id: instance },
      toasts: 'successes',
    })
    if (answer.success) onDone()
    return answer
  }
  return (
    <ConfirmDialog
      opened={opened}
      question="Give everything in the web root back to its user (berth)?"
      confirm="Fix ownership"
      onClose={onClose}
      onConfirm={fix}
    >
      <Text size="sm" c="dimmed" mt="xs">
        The file manager, git and builds run as berth, the terminal as root. What was made as root,
        or moved here from elsewhere, is refused to them until it is berth’s. Files of other
        programs, such as uploads of PHP, keep their owner. Nothing outside the web root is touched.
      </Text>
    </ConfirmDialog>
  )
}
