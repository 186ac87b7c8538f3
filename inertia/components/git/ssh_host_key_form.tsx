import { useState } from 'react'
import { Alert, Stack, Text, TextInput } from '@mantine/core'
import { FormFrame } from '@ui/form_frame'
import styles from './git.module.css'

export interface SshHostKey {
  fingerprint: string
  message: string
  /** Whether the server had a different key before. */
  changed: boolean
}

interface SshHostKeyFormProps {
  server: SshHostKey
  busy: boolean
  onConfirm: (fingerprint: string) => void
  onCancel: () => void
}

/**
 * Asks whether to trust a host key. A changed key requires typing its fingerprint, because a click alone is too easy.
 */
export function SshHostKeyForm({ server, busy, onConfirm, onCancel }: SshHostKeyFormProps) {
  const { fingerprint, message, changed } = server
  const [typed, setTyped] = useState('')
  const [wrong, setWrong] = useState<string | null>(null)

  const submit = () => {
    if (!changed) return onConfirm(fingerprint)
    if (typed.trim() === fingerprint) return onConfirm(fingerprint)
    setWrong('This is not the fingerprint of the new key. Nothing was sent to the server.')
  }

  return (
    <FormFrame
      form={{ errors: {}, formError: null, busy, submit }}
      submit={changed ? 'Trust the new key and clone' : 'Trust and clone'}
      danger={changed}
      focus={changed ? undefined : 'cancel'}
      onCancel={onCancel}
    >
      {changed ? (
        <Alert color="red" title="The SSH key of this server has changed" className={styles.path}>
          {message}
        </Alert>
      ) : (
        <Stack gap="xs">
          <Text className={styles.path}>{message}</Text>
          <div className={styles.key}>
            <code>{fingerprint}</code>
          </div>
        </Stack>
      )}
      {changed && (
        <TextInput
          label="Fingerprint of the new key"
          description="Ask the administrator of the server for it."
          placeholder="SHA256:…"
          required
          data-autofocus
          autoComplete="off"
          spellCheck={false}
          value={typed}
          error={wrong}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      )}
    </FormFrame>
  )
}
