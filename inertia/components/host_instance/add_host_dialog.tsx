import { Dialog } from '@ui/dialog'
import { AddHostForm } from '~/components/host_instance/add_host_form'

interface AddHostDialogProps {
  opened: boolean
  onClose: () => void
}

/** Adds a host. The dialog drops its form when it closes, because a typed token must not stay. */
export default function AddHostDialog({ opened, onClose }: AddHostDialogProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title="Add Host Instance" size={560}>
      <AddHostForm onDone={onClose} />
    </Dialog>
  )
}
