import { Alert, Button, Group, Stack } from '@mantine/core'
import { CopyButton } from '@ui/copy_button'
import { DescriptionList } from '~/components/description_list'

interface NewUserCredentialsProps {
  database?: string
  user: string
  password: string
  onDone: () => void
}

/** The password cannot be shown again. */
export function NewUserCredentials({ database, user, password, onDone }: NewUserCredentialsProps) {
  const line = (label: string, value: string) => ({
    label,
    value: (
      <>
        <span className="mono">{value}</span>
        <CopyButton value={value} copied="Copied" what={label.toLowerCase()} />
      </>
    ),
  })
  return (
    <Stack gap="md">
      <Alert color="yellow" role="status" title="Copy the password now">
        It is not shown again. If you lose it, set a new password.
      </Alert>
      <DescriptionList
        label="Account"
        rows={[
          ...(database ? [line('Database', database)] : []),
          line('User', user),
          line('Password', password),
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
