import { useState } from 'react'
import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { Dialog } from '@ui/dialog'
import { FormFrame } from '@ui/form_frame'
import { fieldProps } from '@ui/form_field'
import { noErrors, type FormErrors } from '~/components/form/form_errors'
import { call } from '~/api_call'
import { isFinished, useOperation } from '~/components/operation/use_operations'
import { OperationProgress } from '~/components/operation/operation_progress'
import type { OperationView } from '~/components/operation/types'
import {
  isHttpsRepository,
  validateClone,
  cloneRequestData,
  type CloneValues,
  emptyCloneValues,
  isSshRepository,
  assignCloneError,
} from './clone_values'
import { DeployKeyField } from './deploy_key_field'
import { type SshHostKey, SshHostKeyForm } from './ssh_host_key_form'
import { gitFolderParams, type GitFolder } from './types'
import styles from './git.module.css'

interface CloneDialogProps {
  opened: boolean
  folder: GitFolder
  onClose: () => void
  onDone: () => void
}

export function CloneDialog({ opened, folder, onClose, onDone }: CloneDialogProps) {
  const [values, setValues] = useState(emptyCloneValues)
  const [placed, setPlaced] = useState(noErrors)
  const [confirming, setConfirming] = useState(false)
  const [server, setServer] = useState<SshHostKey | null>(null)
  const [busy, setBusy] = useState(false)
  const [started, setStarted] = useState<OperationView | null>(null)
  const operation = useOperation(started, 'customer', onDone)

  const close = () => {
    onClose()
    setConfirming(false)
    setServer(null)
    if (operation && !isFinished(operation)) return
    setStarted(null)
    setPlaced(noErrors)
    setValues(emptyCloneValues)
  }

  const clone = async (hostKey?: string) => {
    setBusy(true)
    const answer = await call<{ operation: OperationView }>('/git/clone', {
      data: {
        ...gitFolderParams(folder),
        ...cloneRequestData(values),
        ...(hostKey !== undefined && { host_key: hostKey }),
      },
      toasts: 'none',
    })
    setBusy(false)
    setConfirming(false)
    setServer(null)
    if (!answer.success || !answer.data) {
      const { code, errors, message } = answer
      const fingerprint = errors.host_key?.[0]
      if (fingerprint !== undefined) {
        return setServer({ fingerprint, message, changed: code === 'host_key_changed' })
      }
      return setPlaced({ errors, formError: Object.keys(errors).length ? null : message })
    }
    setPlaced(noErrors)
    setStarted(answer.data.operation)
    // The clone has started, so the form must not keep the password.
    setValues((now) => ({ ...now, password: '' }))
  }

  const tryAgain = () => {
    setPlaced(assignCloneError(operation?.error))
    setStarted(null)
  }

  return (
    <Dialog opened={opened} onClose={close} title="Clone a repository">
      {operation ? (
        <CloneProgress operation={operation} onAgain={tryAgain} onClose={close} />
      ) : (
        <>
          <div hidden={confirming || server !== null}>
            <CloneForm
              values={values}
              {...placed}
              folder={folder}
              onChange={setValues}
              onClose={close}
              onSubmit={() => {
                const wrong = validateClone(values)
                setPlaced({ errors: wrong, formError: null })
                setConfirming(Object.keys(wrong).length === 0)
              }}
            />
          </div>
          {server && (
            <SshHostKeyForm
              server={server}
              busy={busy}
              onConfirm={(fingerprint) => void clone(fingerprint)}
              onCancel={() => setServer(null)}
            />
          )}
          {confirming && (
            <CloneConfirmation
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

/** Shown instead of the form, whose values are kept. */
function CloneConfirmation({ busy, onConfirm, onBack }: ConfirmationProps) {
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

function CloneProgress({ operation, onAgain, onClose }: ProgressProps) {
  return (
    <Stack gap="md">
      <OperationProgress operation={operation} />
      <Group justify="flex-end" gap="xs">
        {operation.status === 'failed' && (
          <Button variant="default" onClick={onAgain}>
            Edit and try again
          </Button>
        )}
        <Button variant={isFinished(operation) ? 'filled' : 'default'} onClick={onClose}>
          Close
        </Button>
      </Group>
    </Stack>
  )
}

interface CloneFormProps {
  values: CloneValues
  errors: FormErrors['errors']
  formError: string | null
  folder: GitFolder
  onChange: (values: CloneValues) => void
  onSubmit: () => void
  onClose: () => void
}

function CloneForm(props: CloneFormProps) {
  const { values, errors, formError, folder, onChange, onSubmit, onClose } = props
  const parent = `/${folder.path.replace(/^\/+/, '')}`
  const bind = (name: keyof CloneValues) => ({
    ...fieldProps(name, errors),
    value: values[name],
    onChange: (event: { currentTarget: { value: string } }) =>
      onChange({ ...values, [name]: event.currentTarget.value }),
    autoComplete: 'off',
    autoCapitalize: 'none',
    spellCheck: false,
  })
  return (
    <FormFrame
      form={{ errors, formError, busy: false, submit: onSubmit }}
      submit="Clone"
      onCancel={onClose}
    >
      <TextInput
        label="Repository link"
        placeholder="https://github.com/name/repository.git"
        description="HTTPS link (signs in with a username and password) or SSH link git@host:path (signs in with a deploy key)."
        inputMode="url"
        required
        data-autofocus
        {...bind('repository')}
      />
      {isHttpsRepository(values.repository) && (
        <>
          <TextInput label="Git username" {...bind('username')} />
          <PasswordInput
            label="Git password (leave empty for a public repository)"
            description="Password or access token"
            {...bind('password')}
            autoComplete="new-password"
          />
        </>
      )}
      {isSshRepository(values.repository) && (
        <DeployKeyField folder={folder} repository={values.repository.trim()} />
      )}
      <TextInput
        label="Directory"
        description={
          <span className={styles.path}>
            {`A new or empty folder inside ${parent}. Leave this field empty to clone into ${parent} itself.`}
          </span>
        }
        placeholder="."
        {...bind('directory')}
      />
      {!isSshRepository(values.repository) && (
        <Text size="xs" c="dimmed">
          Berth uses the username and password once and does not store them.
        </Text>
      )}
    </FormFrame>
  )
}
