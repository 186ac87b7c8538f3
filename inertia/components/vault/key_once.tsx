import { Alert, Button, Group, Stack } from '@mantine/core'
import { CopyButton } from '@ui/copy_button'
import { FactTable } from '~/components/fact_table'

/** A key as it was made. */
export interface NewKey {
  access_key_id: string
  secret_key: string
}

/** A key with its secret, for the only time. */
export function KeyOnce({ told, onDone }: { told: NewKey; onDone: () => void }) {
  const line = (label: string, value: string) => ({
    label,
    value: (
      <>
        <span className="mono">{value}</span>
        <CopyButton value={value} copied="Secret Key Copied!" what={label.toLowerCase()} />
      </>
    ),
  })
  return (
    <Stack gap="md">
      <Alert color="yellow" role="status" title="Copy the secret now">
        Store it where your program can read it. It is not shown again. If you lose it, create a new
        key.
      </Alert>
      <FactTable
        label="Key"
        rows={[line('Access Key Id', told.access_key_id), line('Secret Key', told.secret_key)]}
      />
      <Group justify="flex-end">
        <Button data-autofocus onClick={onDone}>
          Done
        </Button>
      </Group>
    </Stack>
  )
}
