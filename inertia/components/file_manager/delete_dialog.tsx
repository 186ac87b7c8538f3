import { List } from '@mantine/core'
import { DangerDialog } from '@ui/confirm_dialog'
import type { CallResult } from '~/api_call'
import { joinPath } from './paths_and_links'
import { itemCountLabel } from './file_clipboard'
import type { FileRow } from './types'

interface DeleteDialogProps {
  /** Files to delete. Null closes the dialog. */
  rows: FileRow[] | null
  /** Path of the folder that contains the files, for display. */
  folder: string
  onConfirm: (rows: FileRow[]) => Promise<CallResult<unknown>>
  onClose: () => void
}

/** The dialog shows only the number of further files. */
const MAX_NAMES_SHOWN = 5

export function DeleteDialog({ rows, folder, onConfirm, onClose }: DeleteDialogProps) {
  const listed = rows && rows.length > 1 ? rows.slice(0, MAX_NAMES_SHOWN) : []
  const more = rows && rows.length > 1 ? rows.length - listed.length : 0
  return (
    <DangerDialog
      opened={rows !== null}
      question={rows ? `Sure to delete: ${deletedItemsLabel(rows, folder)}` : ''}
      confirm="Delete"
      onClose={onClose}
      onConfirm={async () => (rows ? onConfirm(rows) : undefined)}
    >
      {listed.length > 0 && (
        <List size="sm" spacing={2} style={{ overflowWrap: 'anywhere' }}>
          {listed.map(({ name, wire, type }) => (
            <List.Item key={wire ?? name}>{type === 'folder' ? `${name}/` : name}</List.Item>
          ))}
          {more > 0 && <List.Item>and {more.toLocaleString('en')} more</List.Item>}
        </List>
      )}
    </DangerDialog>
  )
}

function deletedItemsLabel(rows: FileRow[], folder: string) {
  return rows.length === 1 ? joinPath(folder, rows[0].name) : itemCountLabel(rows.length)
}
