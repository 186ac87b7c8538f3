import { Text, TextInput } from '@mantine/core'
import { checkTypedName } from '~/components/name_mismatch'
import { useCallForm } from '~/components/form/use_call_form'
import { TypedName } from '@ui/typed_name'
import { FormFrame } from '@ui/form_frame'
import { Dialog } from '@ui/dialog'
import type { AdminInstanceView } from './types'

interface StateDialogProps {
  instance: Pick<AdminInstanceView, 'id' | 'name'>
  /** what is asked; null while the dialog is closed */
  verb: 'suspend' | 'resume' | null
  onClose: () => void
}

const words = {
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

/** Suspends or resumes an instance; its name must be typed to confirm. */
export function StateDialog({ instance, verb, onClose }: StateDialogProps) {
  return (
    <Dialog
      opened={verb !== null}
      onClose={onClose}
      title={verb && `${words[verb].title} ${instance.name}`}
    >
      {verb && <Question instance={instance} verb={verb} onClose={onClose} />}
    </Dialog>
  )
}

function Question({ instance, verb, onClose }: StateDialogProps & { verb: 'suspend' | 'resume' }) {
  const { id, name } = instance
  const form = useCallForm({
    to: `/admin/server-instance/${verb}`,
    check: (fields) => checkTypedName(fields, name, 'name'),
    send: (fields) => ({ id, ...Object.fromEntries(fields) }),
    onDone: onClose,
  })

  return (
    <FormFrame
      form={form}
      submit={words[verb].confirm}
      onCancel={onClose}
      danger={verb === 'suspend'}
    >
      <Text>{words[verb].text}</Text>
      {verb === 'suspend' && (
        <TextInput
          label="Reason"
          description="The customer can read this reason"
          required
          data-autofocus
          {...form.field('reason')}
        />
      )}
      <TypedName of={name} {...form.field('name')} />
    </FormFrame>
  )
}
