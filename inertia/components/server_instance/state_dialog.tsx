import { useState } from 'react'
import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { field } from '@ui/form_field'
import { useCall } from '~/components/use_call'
import { NAME_MISMATCH } from './delete_instance'
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
    text: 'It is stopped and its customer cannot start it until it is resumed. Files stay.',
    confirm: 'Suspend instance',
  },
  resume: {
    title: 'Resume',
    text: 'It is started again and its customer can use it as before.',
    confirm: 'Resume instance',
  },
}

/** Suspends or resumes an instance; its name must be typed to confirm. */
export function StateDialog({ instance, verb, onClose }: StateDialogProps) {
  return (
    <Modal
      opened={verb !== null}
      onClose={onClose}
      title={verb && `${words[verb].title} ${instance.name}`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {verb && <Question instance={instance} verb={verb} onClose={onClose} />}
    </Modal>
  )
}

function Question({ instance, verb, onClose }: StateDialogProps & { verb: 'suspend' | 'resume' }) {
  const { id, name } = instance
  const [errors, setErrors] = useState<Record<string, string[]>>({})
  const [mismatch, setMismatch] = useState(false)
  const { busy, run } = useCall()

  const act = async (form: FormData) => {
    const typed = String(form.get('name'))
    setMismatch(typed !== name)
    if (typed !== name) return
    const reason = verb === 'suspend' ? { reason: String(form.get('reason')).trim() } : {}
    const answer = await run(`/admin/server-instance/${verb}`, { id, name: typed, ...reason })
    setErrors(answer.errors)
    if (answer.success) onClose()
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void act(new FormData(event.currentTarget))
      }}
    >
      <Stack gap="md">
        <Text>{words[verb].text}</Text>
        {verb === 'suspend' && (
          <TextInput
            label="Reason"
            description="The customer reads it"
            required
            data-autofocus
            {...field('reason', errors)}
          />
        )}
        <TextInput
          label={
            <>
              Type <code>{name}</code> to confirm
            </>
          }
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          onChange={() => setMismatch(false)}
          {...field('name', errors)}
        />
        {mismatch && (
          <Alert color="red" role="alert">
            <Text size="sm">{NAME_MISMATCH}</Text>
          </Alert>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            color={verb === 'suspend' ? 'red' : undefined}
            loading={busy !== null}
          >
            {words[verb].confirm}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
