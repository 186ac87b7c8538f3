import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { CopyButton } from '@ui/copy_button'
import { DescriptionList } from '~/components/description_list'

export interface KeyWithSecret {
  access_key_id: string
  secret_key: string
}

interface KeyOnceProps {
  newKey: KeyWithSecret
  /** People can copy the key again later. */
  isStored?: boolean
  onDone: () => void
}

export function NewKeySecret({ newKey, isStored = false, onDone }: KeyOnceProps) {
  const line = (label: string, value: string, copied: string) => ({
    label,
    value: (
      <>
        <span className="mono">{value}</span>
        <CopyButton value={value} copied={copied} what={label.toLowerCase()} />
      </>
    ),
  })
  return (
    <Stack gap="md">
      {isStored ? (
        <Text>Use this secret key in your programs. You can also copy it later on this page.</Text>
      ) : (
        <Alert color="yellow" role="status" title="Copy the secret now">
          Store the secret key where your program can read it. It is not shown again. If you lose
          it, create a new access key.
        </Alert>
      )}
      <DescriptionList
        label="Key"
        rows={[
          line('Access Key Id', newKey.access_key_id, 'Access Key Id copied'),
          line('Secret Key', newKey.secret_key, 'Secret Key Copied!'),
        ]}
      />
      <Group justify="flex-end">
        <Button data-autofocus onClick={onDone}>
          Done
        </Button>
      </Group>
    </Stack>
  )
}
