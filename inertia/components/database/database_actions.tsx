import { isOver } from '~/components/operation/watch_operation'
import { call } from '~/api_call'
import { reread } from '~/components/live/reread'
import type { Action } from '~/components/action_menu'
import { DropDialog } from './drop_dialog'
import { ExportDialog } from './export_dialog'
import { ImportDialog } from './import_dialog'
import type { DatabaseRow, Engine, ServerView } from './types'

/** What is asked in a dialog of its own. */
export type DatabaseDialog = 'import' | 'export' | 'drop'

/** Why nothing can be done with a database of this server now. */
export function barredBy(server: ServerView | null): string | null {
  if (!server || server.status === 'running') return null
  if (server.status === 'stopped') return 'The database server is stopped. Start it first.'
  if (server.status === 'unknown') return 'The database server does not respond.'
  return 'The database server is not ready.'
}

/** What runs on a database, so that nothing else is begun beside it. */
export function busyWith({ operation }: Pick<DatabaseRow, 'operation'>): string | null {
  if (!operation || isOver(operation)) return null
  return `Wait until this finishes: ${operation.title}.`
}

interface DatabaseActionsProps {
  database: DatabaseRow
  server: ServerView | null
  onAsk: (what: DatabaseDialog) => void
}

/** What can be done with a database, in its row and on its page. */
export function databaseActions({ database, server, onAsk }: DatabaseActionsProps): Action[] {
  const barred = barredBy(server)
  const reason = barred ?? busyWith(database)
  return [
    { label: 'Import', reason, onClick: () => onAsk('import') },
    { label: 'Export', reason: barred, onClick: () => onAsk('export') },
    { label: 'Back up now', reason, onClick: () => void makeCopy(database) },
    { label: 'Drop', reason, danger: true, onClick: () => onAsk('drop') },
  ]
}

async function makeCopy({ id }: DatabaseRow) {
  const answer = await call('/database/backup/store', { data: { database_id: id } })
  if (answer.success) reread()
}

interface DatabaseDialogsProps {
  asked: DatabaseDialog | null
  engine: Engine
  server: ServerView
  database: DatabaseRow
  uploadLimit: number
  onClose: () => void
}

/** The dialogs of these actions. */
export function DatabaseDialogs(props: DatabaseDialogsProps) {
  const { asked, engine, server, database, uploadLimit, onClose } = props
  const of = { engine, server, database, onClose }
  return (
    <>
      <ImportDialog opened={asked === 'import'} uploadLimit={uploadLimit} {...of} />
      <ExportDialog opened={asked === 'export'} {...of} />
      <DropDialog opened={asked === 'drop'} {...of} />
    </>
  )
}
