import { useState } from 'react'
import { Button, Group, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { FormFrame } from '@ui/form_frame'
import { ConfirmDialog } from '@ui/confirm_dialog'
import { field } from '@ui/form_field'
import { noErrors, type PlacedErrors } from '~/components/form/placed_errors'
import { call } from '~/call'
import { isOver, useOperation } from '~/components/operation/follow'
import { OperationProgress } from '~/components/operation/progress'
import type { OperationView } from '~/components/operation/types'
import { asksForLogin, checkClone, type CloneValues, directoryOf, emptyClone } from './clone_form'
import { placeData, type GitPlace } from './types'
import styles from './git.module.css'

interface CloneDialogProps {
  opened: boolean
  place: GitPlace
  onClose: () => void
  /** when a repository has arrived */
  onDone: () => void
}

/** Asks for a repository, asks again, and shows how the clone goes. It goes on when this is closed. */
export function CloneDialog({ opened, place, onClose, onDone }: CloneDialogProps) {
  const [values, setValues] = useState(emptyClone)
  const [placed, setPlaced] = useState(noErrors)
  const [confirming, setConfirming] = useState(false)
  const [busy, setBusy] = useState(false)
  const [started, setStarted] = useState<OperationView | null>(null)
  const operation = useOperation(started, 'customer', onDone)

  const close = () => {
    onClose()
    setPlaced(noErrors)
    if (!operation || !isOver(operation)) return
    setStarted(null)
    if (operation.status === 'done') setValues(emptyClone)
  }

  const clone = async () => {
    setBusy(true)
    const answer = await call<{ operation: OperationView }>('/git/clone', {
      data: { ...placeData(place), ...values, directory: directoryOf(values.directory) },
      toasts: 'none',
    })
    setBusy(false)
    setConfirming(false)
    if (!answer.success || !answer.data) {
      const { errors, message } = answer
      return setPlaced({ errors, refusal: Object.keys(errors).length ? null : message })
    }
    setPlaced(noErrors)
    setStarted(answer.data.operation)
    // It is of no more use here.
    setValues((now) => ({ ...now, password: '' }))
  }

  return (
    <>
      <Modal
        opened={opened && !confirming}
        onClose={close}
        title="Clone a repository"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {operation ? (
          <Progress operation={operation} onAgain={() => setStarted(null)} onClose={close} />
        ) : (
          <CloneForm
            values={values}
            {...placed}
            path={place.path}
            onChange={setValues}
            onClose={close}
            onSubmit={() => {
              const wrong = checkClone(values)
              setPlaced({ errors: wrong, refusal: null })
              setConfirming(Object.keys(wrong).length === 0)
            }}
          />
        )}
      </Modal>
      <ConfirmDialog
        opened={opened && confirming}
        question="Confirm cloning..."
        confirm="Clone"
        busy={busy}
        onConfirm={() => void clone()}
        onClose={() => setConfirming(false)}
      />
    </>
  )
}

interface ProgressProps {
  operation: OperationView
  onAgain: () => void
  onClose: () => void
}

function Progress({ operation, onAgain, onClose }: ProgressProps) {
  return (
    <Stack gap="md">
      <OperationProgress operation={operation} />
      <Group justify="flex-end" gap="xs">
        {operation.status === 'failed' && (
          <Button variant="default" onClick={onAgain}>
            Change and try again
          </Button>
        )}
        <Button variant={isOver(operation) ? 'filled' : 'default'} onClick={onClose}>
          Close
        </Button>
      </Group>
    </Stack>
  )
}

interface CloneFormProps {
  values: CloneValues
  errors: PlacedErrors['errors']
  refusal: string | null
  path: string
  onChange: (values: CloneValues) => void
  onSubmit: () => void
  onClose: () => void
}

function CloneForm({ values, errors, refusal, path, onChange, onSubmit, onClose }: CloneFormProps) {
  const bind = (name: keyof CloneValues) => ({
    ...field(name, errors),
    value: values[name],
    onChange: (event: { currentTarget: { value: string } }) =>
      onChange({ ...values, [name]: event.currentTarget.value }),
    autoComplete: 'off',
    autoCapitalize: 'none',
    spellCheck: false,
  })
  return (
    <FormFrame
      form={{ errors, refusal, busy: false, submit: onSubmit }}
      submit="Clone"
      onCancel={onClose}
    >
      <TextInput
        label="Repository link"
        placeholder="https://github.com/name/repository.git"
        inputMode="url"
        required
        data-autofocus
        {...bind('repository')}
      />
      {asksForLogin(values.repository) && (
        <>
          <TextInput label="Git username" required {...bind('username')} />
          <PasswordInput
            label="Git password (leave empty for a public repository)"
            description="Or an access token. It must be given, but a public repository never asks for it: any text will do."
            required
            {...bind('password')}
            autoComplete="new-password"
          />
        </>
      )}
      <TextInput
        label="Directory"
        description={
          <span className={styles.path}>
            Below /{path.replace(/^\/+/, '')}; empty for this folder itself. It must be empty or
            new.
          </span>
        }
        placeholder="."
        {...bind('directory')}
      />
      <Text size="xs" c="dimmed">
        User name and password are used once and not kept.
      </Text>
    </FormFrame>
  )
}
