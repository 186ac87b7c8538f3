import { Dialog } from '@ui/dialog'
import { AddHostForm } from '~/components/host_instance/add_host_form'

interface AddHostDialogProps {
  opened: boolean
  onClose: () => void
}

/** The dialog unmounts its form when it closes, so that a typed token does not stay in it. */
export default function AddHostDialog({ opened, onClose }: AddHostDialogProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title="Add Host Instance" size={560}>
      <AddHostForm onDone={onClose} />
    </Dialog>
  )
}
