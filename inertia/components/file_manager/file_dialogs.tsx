import { router } from '@inertiajs/react'
import type { CallResult } from '~/api_call'
import { joinPath, entryPath, type FileManagerArea } from './paths_and_links'
import { DeleteDialog } from './delete_dialog'
import { FixOwnershipDialog } from './fix_ownership_dialog'
import { FileModeDialog } from './file_mode_dialog'
import { NameDialog } from './name_dialog'
import { UnzipDialog } from './unzip_dialog'
import type { EntryType, FileRow } from './types'

export type FileDialogState =
  | { kind: 'make'; type: EntryType }
  | { kind: 'fix' }
  | { kind: 'rename' | 'unzip'; row: FileRow }
  | { kind: 'delete' | 'mode'; rows: FileRow[] }

/** Last segment of the URL path of a file manager call. */
export type FileEndpoint =
  | ('store' | 'rename' | 'unzip-file' | 'delete')
  | ('copy' | 'move' | 'delete-many' | 'mode')

interface FileDialogsProps {
  dialog: FileDialogState | null
  instance: number | null
  area: FileManagerArea
  path: string
  /** Path for display, without a leading slash. */
  shownPath: string
  run: (call: FileEndpoint, data: Record<string, unknown>) => Promise<CallResult<unknown>>
  onDeleted: () => void
  onClose: () => void
}

export function FileDialogs(props: FileDialogsProps) {
  const { dialog, instance, area, path, shownPath, run, onDeleted, onClose } = props
  return (
    <>
      {dialog?.kind === 'make' && (
        <NameDialog
          title={dialog.type === 'folder' ? 'Add New Folder' : 'Add New File'}
          label="Name"
          confirm="Add"
          onClose={onClose}
          onConfirm={(name) => run('store', { path, name, type: dialog.type })}
        />
      )}
      {dialog?.kind === 'rename' && (
        <NameDialog
          title="Rename"
          label="New name"
          confirm="Rename"
          initial={dialog.row.name}
          onClose={onClose}
          onConfirm={(name) =>
            run('rename', { oldPath: entryPath(path, dialog.row), newPath: joinPath(path, name) })
          }
        />
      )}
      {dialog?.kind === 'unzip' && (
        <UnzipDialog
          name={dialog.row.name}
          path={path}
          onClose={onClose}
          onConfirm={(destination, encoding) =>
            run('unzip-file', {
              file_path: entryPath(path, dialog.row),
              destination_path: destination,
              ...(encoding !== '' && { encoding }),
            })
          }
        />
      )}
      {dialog?.kind === 'mode' && (
        <FileModeDialog
          rows={dialog.rows}
          onClose={onClose}
          onConfirm={(mode, recursive) =>
            run('mode', { paths: dialog.rows.map((row) => entryPath(path, row)), mode, recursive })
          }
        />
      )}
      <DeleteDialog
        rows={dialog?.kind === 'delete' ? dialog.rows : null}
        folder={shownPath}
        onClose={onClose}
        onConfirm={async (rows) => {
          const paths = rows.map((row) => entryPath(path, row))
          const result =
            rows.length === 1
              ? await run('delete', { type: rows[0].type, path: paths[0] })
              : await run('delete-many', { paths })
          if (result.success) onDeleted()
          return result
        }}
      />
      <FixOwnershipDialog
        opened={dialog?.kind === 'fix'}
        instance={instance}
        area={area}
        onClose={onClose}
        onDone={() => router.reload()}
      />
    </>
  )
}
