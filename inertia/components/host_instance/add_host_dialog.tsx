import { Dialog } from '@ui/dialog'
import { AddHostForm } from '~/components/host_instance/add_host_form'

interface AddHostDialogProps {
  opened: boolean
  onClose: () => void
}

/** Closing unmounts the form, so that a typed token is not kept. */
export default function AddHostDialog({ opened, onClose }: AddHostDialogProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title="Add Host Instance" size={560}>
      <AddHostForm onDone={onClose} />
    </Dialog>
  )
}
