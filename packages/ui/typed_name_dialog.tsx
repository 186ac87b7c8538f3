import { useState } from 'react'
import { Button, Group, List, Modal, Text, TextInput } from '@mantine/core'

interface TypedNameDialogProps {
  opened: boolean
  title: string
  /** what must be typed, exactly */
  name: string
  /** what will be lost, one line each */
  losses: string[]
  /** the verb on the button: "Delete instance" */
  confirm: string
  /** what a wrong name is answered with */
  mismatch?: string
  busy?: boolean
  /** called with the name typed; only when it is exactly the name */
  onConfirm: (name: string) => void
  onClose: () => void
}

/** For what cannot be undone: lists what will be lost and asks for the name. */
export function TypedNameDialog({ opened, onClose, title, ...rest }: TypedNameDialogProps) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={title}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {opened && <Question {...rest} onClose={onClose} />}
    </Modal>
  )
}

function Question(props: Omit<TypedNameDialogProps, 'opened' | 'title'>) {
  const {
    name,
    losses,
    confirm,
    mismatch = 'This is not the name.',
    busy,
    onConfirm,
    onClose,
  } = props
  const [typed, setTyped] = useState('')
  const [wrong, setWrong] = useState(false)

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (typed === name) onConfirm(typed)
        else setWrong(true)
      }}
    >
      <Text>This cannot be undone. You lose:</Text>
      <List mt={6} spacing={2}>
        {losses.map((loss) => (
          <List.Item key={loss}>{loss}</List.Item>
        ))}
      </List>
      <TextInput
        mt="md"
        data-autofocus
        label={
          <>
            Type <code>{name}</code> to confirm
          </>
        }
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        value={typed}
        error={wrong && typed !== name ? mismatch : undefined}
        onChange={(event) => {
          setTyped(event.currentTarget.value)
          setWrong(false)
        }}
      />
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" color="red" loading={busy}>
          {confirm}
        </Button>
      </Group>
    </form>
  )
}
