import { useState } from 'react'
import { Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { CopyButton } from '@ui/copy_button'
import { ConfirmDialog } from '@ui/confirm_dialog'
import { call } from '~/api_call'
import { gitFolderParams, type DeployKey, type GitFolder } from './types'
import styles from './git.module.css'

interface DeployKeyFieldProps {
  folder: GitFolder
  repository: string
}

/** The deploy key is created when the person asks for it. */
export function DeployKeyField({ folder, repository }: DeployKeyFieldProps) {
  const [shown, setShown] = useState<{ repository: string; key: DeployKey } | null>(null)
  const [error, setError] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const [replacing, setReplacing] = useState(false)
  const key = shown?.repository === repository ? shown.key : null

  const make = async (replace: boolean) => {
    setBusy(true)
    const answer = await call<{ deploy_key: DeployKey }>('/git/deploy-key', {
      data: { ...gitFolderParams(folder), repository, ...(replace && { replace }) },
      toasts: 'none',
    })
    setBusy(false)
    if (answer.data) setShown({ repository, key: answer.data.deploy_key })
    setError(answer.success ? null : answer.message)
    return answer
  }

  return (
    <Stack gap={6} role="group" aria-label="Deploy key">
      <Text size="sm" fw={500}>
        Deploy key
      </Text>
      <Text size="xs" c="dimmed">
        This server instance signs in to the repository with this key. Add the public key to the
        repository before you clone: under “Deploy keys” in the repository settings (GitHub, GitLab,
        Codeberg) or “Access keys” (Bitbucket). Read access is enough.
      </Text>
      {key ? (
        <>
          <div className={styles.key}>
            <code>{key.public_key}</code>
            <CopyButton value={key.public_key} copied="Deploy key copied" what="deploy key" />
          </div>
          <Anchor
            component="button"
            type="button"
            size="xs"
            className={styles.replace}
            onClick={() => setReplacing(true)}
          >
            Replace this key
          </Anchor>
        </>
      ) : (
        <Group>
          <Button variant="default" size="xs" loading={busy} onClick={() => void make(false)}>
            Show deploy key
          </Button>
        </Group>
      )}
      {error && (
        <Text size="xs" c="var(--mantine-color-error)" role="alert">
          {error}
        </Text>
      )}
      {/* Stops submit events: React passes those of the dialog's form to the form around this field. */}
      <div onSubmit={(event) => event.stopPropagation()}>
        <ConfirmDialog
          opened={replacing}
          question="Replace this deploy key?"
          confirm="Replace key"
          onClose={() => setReplacing(false)}
          onConfirm={() => make(true)}
        >
          <Text size="sm" c="dimmed" mt="xs">
            The old key is deleted. You cannot clone or pull until you add the new key to the
            repository.
          </Text>
        </ConfirmDialog>
      </div>
    </Stack>
  )
}
