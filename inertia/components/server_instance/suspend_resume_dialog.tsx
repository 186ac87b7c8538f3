import { Text, TextInput } from '@mantine/core'
import { checkTypedName } from '~/components/check_typed_name'
import { useApiForm } from '~/components/form/use_api_form'
import { ConfirmNameInput } from '@ui/confirm_name_input'
import { FormFrame } from '@ui/form_frame'
import { Dialog } from '@ui/dialog'
import type { AdminInstanceView } from './types'

interface SuspendResumeDialogProps {
  instance: Pick<AdminInstanceView, 'id' | 'name'>
  /** Null closes the dialog. */
  verb: 'suspend' | 'resume' | null
  onClose: () => void
}

const verbTexts = {
  suspend: {
    title: 'Suspend',
    text: 'The instance stops, and the customer cannot start it until you resume it. Its files are kept.',
    confirm: 'Suspend instance',
  },
  resume: {
    title: 'Resume',
    text: 'The instance starts, and the customer can use it again.',
    confirm: 'Resume instance',
  },
}

export function SuspendResumeDialog({ instance, verb, onClose }: SuspendResumeDialogProps) {
  return (
    <Dialog
      opened={verb !== null}
      onClose={onClose}
      title={verb && `${verbTexts[verb].title} ${instance.name}`}
    >
      {verb && <SuspendResumeForm instance={instance} verb={verb} onClose={onClose} />}
    </Dialog>
  )
}

function SuspendResumeForm({
  instance,
  verb,
  onClose,
}: SuspendResumeDialogProps & { verb: 'suspend' | 'resume' }) {
  const { id, name } = instance
  const form = useApiForm({
    to: `/admin/server-instance/${verb}`,
    check: (fields) => checkTypedName(fields, name, 'name'),
    send: (fields) => ({ id, ...Object.fromEntries(fields) }),
    onDone: onClose,
  })

  return (
    <FormFrame
      form={form}
      submit={verbTexts[verb].confirm}
      onCancel={onClose}
      danger={verb === 'suspend'}
    >
      <Text>{verbTexts[verb].text}</Text>
      {verb === 'suspend' && (
        <TextInput
          label="Reason"
          description="The customer can read this reason"
          required
          data-autofocus
          {...form.field('reason')}
        />
      )}
      <ConfirmNameInput of={name} {...form.field('name')} />
    </FormFrame>
  )
}
