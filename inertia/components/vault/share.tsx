import { useState } from 'react'
import { Alert, Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { CopyButton, writeClipboard } from '@ui/copy_button'
import { Dialog } from '@ui/dialog'
import { notify } from '@ui/notify'
import { call } from '~/api_call'
import { nameOf } from './addresses'

interface ShareProps {
  vault: number
  /** the whole name of the file */
  name: string
  onClose: () => void
}

const times = [
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
]

/** A link that anybody can open until it ends; it is copied as it is made. */
export function Share({ vault, name, onClose }: ShareProps) {
  const [expires, setExpires] = useState(times[1].value)
  const [made, setMade] = useState<string | null>(null)
  const [refusal, setRefusal] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)

  const make = async () => {
    setBusy(true)
    setRefusal(null)
    const answer = await call<{ url: string }>('/vault/object/share', {
      data: { vault_id: vault, name, expires: Number(expires) },
      toasts: 'none',
    })
    setBusy(false)
    const url = answer.data?.url
    if (!url) return setRefusal(answer.message)
    setMade(url)
    try {
      await writeClipboard(url)
      void notify({ success: true, message: 'Link Copied!' })
    } catch {
      // It stands in the dialog, to be copied by hand.
    }
  }

  return (
    <Dialog opened onClose={onClose} title={`Share ${nameOf(name)}`}>
      <Stack gap="md">
        <Text>
          Anyone with the link can open the file without signing in until the link expires.
        </Text>
        <NativeSelect
          label="Expires after"
          data={times}
          data-autofocus
          value={expires}
          onChange={(event) => {
            setExpires(event.currentTarget.value)
            setMade(null)
          }}
        />
        {made && (
          <TextInput
            label="Link"
            readOnly
            value={made}
            rightSection={<CopyButton value={made} copied="Link Copied!" what="link" />}
            onFocus={(event) => event.currentTarget.select()}
          />
        )}
        {refusal && (
          <Alert color="red" role="alert">
            {refusal}
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
