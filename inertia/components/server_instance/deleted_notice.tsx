import { Alert } from '@mantine/core'
import IconTrash from '@tabler/icons-react/dist/esm/icons/IconTrash.mjs'
import { DateText, type DateFormat } from '@ui/date_text'
import type { DeletionView } from './types'

interface DeletedNoticeProps {
  deletion: DeletionView | null
  shape: DateFormat
}

export function DeletedNotice({ deletion, shape }: DeletedNoticeProps) {
  if (!deletion) return null
  const { at, by } = deletion
  return (
    <Alert
      color="red"
      mb="md"
      icon={<IconTrash size={18} stroke={1.75} aria-hidden />}
      title={
        <>
          Deleted <DateText value={at} shape={shape} />
          {by && ` by ${by}`}
        </>
      }
    >
      Its disk, address, ports and domains are deleted. This page remains as a record.
    </Alert>
  )
}
