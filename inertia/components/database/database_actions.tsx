import { isFinished } from '~/components/operation/use_operations'
import { call } from '~/api_call'
import { reloadChangingProps } from '~/components/live/reload_changing_props'
import type { Action } from '~/components/action_menu'
import { DropDialog } from './drop_dialog'
import { ExportDialog } from './export_dialog'
import { ImportDialog } from './import_dialog'
import type { DatabaseRow, Engine, ServerView } from './types'

export type DatabaseDialogName = 'import' | 'export' | 'drop'

export function serverNotRunningDisabledReason(server: ServerView | null): string | null {
  if (!server || server.status === 'running') return null
  if (server.status === 'stopped') return 'The database server is stopped. Start it first.'
  if (server.status === 'unknown') return 'The database server does not respond.'
  if (server.status === 'installing') return 'The database server is being installed.'
  if (server.status === 'absent') return 'The database server is not installed.'
  return 'The installation of the database server failed.'
}

export function operationRunningDisabledReason({
  operation,
}: Pick<DatabaseRow, 'operation'>): string | null {
  if (!operation || isFinished(operation)) return null
  return `Wait until this finishes: ${operation.title}.`
}

interface DatabaseActionsProps {
  database: DatabaseRow
  server: ServerView | null
  onAsk: (what: DatabaseDialogName) => void
}

export function databaseActions({ database, server, onAsk }: DatabaseActionsProps): Action[] {
  const barred = serverNotRunningDisabledReason(server)
  const reason = barred ?? operationRunningDisabledReason(database)
  return [
    { label: 'Import', reason, onClick: () => onAsk('import') },
    { label: 'Export', reason: barred, onClick: () => onAsk('export') },
    { label: 'Back up now', reason, onClick: () => void createBackup(database) },
    { label: 'Drop', reason, danger: true, onClick: () => onAsk('drop') },
  ]
}

async function createBackup({ id }: DatabaseRow) {
  const answer = await call('/database/backup/store', { data: { database_id: id } })
  if (answer.success) reloadChangingProps()
}

interface DatabaseDialogsProps {
  dialog: DatabaseDialogName | null
  engine: Engine
  server: ServerView
  database: DatabaseRow
  uploadLimit: number
  onClose: () => void
}

export function DatabaseDialogs(props: DatabaseDialogsProps) {
  const { dialog, engine, server, database, uploadLimit, onClose } = props
  const of = { engine, server, database, onClose }
  return (
    <>
      <ImportDialog opened={dialog === 'import'} uploadLimit={uploadLimit} {...of} />
      <ExportDialog opened={dialog === 'export'} {...of} />
      <DropDialog opened={dialog === 'drop'} {...of} />
    </>
  )
}
