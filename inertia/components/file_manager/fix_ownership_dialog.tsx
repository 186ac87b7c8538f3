import { Text } from '@mantine/core'
import { ConfirmDialog } from '@ui/confirm_dialog'
import { call } from '~/api_call'
import { type FileManagerArea, fileManagerHref } from './paths_and_links'

interface FixOwnershipDialogProps {
  opened: boolean
  instance: number | null
  area: FileManagerArea
  onClose: () => void
  onDone: () => void
}

export function FixOwnershipDialog({
  opened,
  instance,
  area,
  onClose,
  onDone,
}: FixOwnershipDialogProps) {
  const fix = async () => {
    const answer = await call(`${fileManagerHref(area)}/fix-ownership`, {
      data: { server_instance_id: instance },
      toasts: 'successes',
    })
    if (answer.success) onDone()
    return answer
  }
  return (
    <ConfirmDialog
      opened={opened}
      question="Fix the ownership of the files in the web root?"
      confirm="Fix ownership"
      onClose={onClose}
      onConfirm={fix}
    >
      <Text size="sm" c="dimmed" mt="xs">
        The terminal runs as root. The file manager, git and builds run as the user berth, so they
        cannot change files that were created in the terminal. This makes the user berth the owner
        of those files. Files of other programs, such as PHP uploads, keep their owner, but the user
        berth can then change them too. Files outside the web root stay as they are.
      </Text>
    </ConfirmDialog>
  )
}
