import { useState } from 'react'
import { Alert, Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { CopyButton, writeClipboard } from '@ui/copy_button'
import { Dialog } from '@ui/dialog'
import { notify } from '@ui/notify'
import { call } from '~/api_call'
import { baseName } from './paths_and_links'

interface ShareLinkDialogProps {
  vault: number
  /** Full path of the file. */
  name: string
  onClose: () => void
}

const expiryOptions = [
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
]

export function ShareLinkDialog({ vault, name, onClose }: ShareLinkDialogProps) {
  const [expires, setExpires] = useState(expiryOptions[1].value)
  const [link, setLink] = useState<string | null>(null)
  const [error, setError] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)

  const make = async () => {
    setBusy(true)
    setError(null)
    const answer = await call<{ url: string }>('/vault/object/share', {
      data: { vault_id: vault, name, expires: Number(expires) },
      toasts: 'none',
    })
    setBusy(false)
    const url = answer.data?.url
    if (!url) return setError(answer.message)
    setLink(url)
    try {
      await writeClipboard(url)
      void notify({ success: true, message: 'Link Copied!' })
    } catch {}
  }

  return (
    <Dialog opened onClose={onClose} title={`Share ${baseName(name)}`}>
      <Stack gap="md">
        <Text>
          Anyone with the link can open the file without signing in until the link expires.
        </Text>
        <NativeSelect
          label="Expires after"
          data={expiryOptions}
          data-autofocus
          value={expires}
          onChange={(event) => {
            setExpires(event.currentTarget.value)
            setLink(null)
          }}
        />
        {link && (
          <TextInput
            label="Link"
            readOnly
            value={link}
            rightSection={<CopyButton value={link} copied="Link Copied!" what="link" />}
            onFocus={(event) => event.currentTarget.select()}
          />
        )}
        {error && (
          <Alert color="red" role="alert">
            {error}
          </Alert>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          <Button loading={busy} onClick={make}>
            Copy link
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
