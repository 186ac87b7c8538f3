import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { DescriptionList, type DescriptionItem } from './description_list'

interface NewSecretProps {
  title?: string
  advice: string
  /** Whether people can copy the secret again later. */
  isStored?: boolean
  label: string
  rows: DescriptionItem[]
  onDone: () => void
}

export function NewSecret(props: NewSecretProps) {
  const { title = 'Copy the secret now', advice, isStored = false, label, rows, onDone } = props
  return (
    <Stack gap="md">
      {isStored ? (
        <Text>{advice}</Text>
      ) : (
        <Alert color="yellow" role="status" title={title}>
          {advice}
        </Alert>
      )}
      <DescriptionList label={label} rows={rows} />
      <Group justify="flex-end">
        <Button data-autofocus onClick={onDone}>
          Done
        </Button>
      </Group>
    </Stack>
  )
}
