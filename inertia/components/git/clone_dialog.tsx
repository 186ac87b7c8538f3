import { useState } from 'react'
import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { Dialog } from '@ui/dialog'
import { FormFrame } from '@ui/form_frame'
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
    setConfirming(false)
    if (operation && !isOver(operation)) return
    setStarted(null)
    setPlaced(noErrors)
    setValues(emptyClone)
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
    <Dialog opened={opened} onClose={close} title="Clone a repository">
      {operation ? (
        <Progress operation={operation} onAgain={() => setStarted(null)} onClose={close} />
      ) : (
        <>
          <div hidden={confirming}>
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
          </div>
          {confirming && (
            <Confirmation
              busy={busy}
              onConfirm={() => void clone()}
              onBack={() => setConfirming(false)}
            />
          )}
        </>
      )}
    </Dialog>
  )
}

interface ConfirmationProps {
  busy: boolean
  onConfirm: () => void
  onBack: () => void
}

/** Asked beside the form, which stays filled in behind it. */
function Confirmation({ busy, onConfirm, onBack }: ConfirmationProps) {
  return (
    <Stack gap="md">
      <Text>Confirm cloning...</Text>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onBack}>
          Cancel
        </Button>
        <Button autoFocus loading={busy} onClick={onConfirm}>
          Clone
        </Button>
      </Group>
    </Stack>
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
