import { useState } from 'react'
import { Button, Group, Modal, TextInput } from '@mantine/core'

interface NameDialogProps {
  title: string
  label: string
  confirm: string
  initial?: string
  /** An empty text is an answer, too. */
  mayBeEmpty?: boolean
  description?: string
  busy?: boolean
  /** Not called for the initial name unless `sameIsFine`. */
  sameIsFine?: boolean
  onConfirm: (name: string) => void
  onClose: () => void
}

/** Asks for a name. Mounted when it is open. */
export function NameDialog(props: NameDialogProps) {
  const { title, label, confirm, initial = '', busy, description } = props
  const [name, setName] = useState(initial)
  const usable = (props.mayBeEmpty || name !== '') && (props.sameIsFine || name !== initial)
  return (
    <Modal
      opened
      onClose={props.onClose}
      title={title}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (usable) props.onConfirm(name)
        }}
      >
        <TextInput
          data-autofocus
          label={label}
          description={description}
          value={name}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          onChange={(event) => setName(event.currentTarget.value)}
          onFocus={(event) => {
            const dot = initial.lastIndexOf('.')
            event.currentTarget.setSelectionRange(0, dot > 0 ? dot : initial.length)
          }}
        />
        <Group justify="flex-end" gap="xs" mt="lg">
          <Button variant="default" onClick={props.onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={busy} disabled={!usable}>
            {confirm}
          </Button>
        </Group>
      </form>
    </Modal>
  )
}
