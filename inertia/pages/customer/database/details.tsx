import { useState } from 'react'
import { Head } from '@inertiajs/react'
import { DateText } from '@ui/date_text'
import { DetailLine } from '@ui/detail_line'
import { PageHeader } from '@ui/page_header'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { UrlTabs } from '~/components/url_tabs'
import { Backups } from '~/components/database/backups'
import { ConnectionInfo } from '~/components/database/connection_info'
import {
  serverNotRunningDisabledReason,
  databaseActions,
  DatabaseDialogs,
  type DatabaseDialogName,
} from '~/components/database/database_actions'
import { formatBytesAsKilobytes } from '~/components/database/database_list'
import { engineLabels } from '~/components/database/engine_labels'
import { ImportWarnings } from '~/components/database/import_dialog'
import { QueryBox } from '~/components/database/query_box'
import { databaseListHref, ServerAlerts, ServerStatus } from '~/components/database/server_summary'
import { Tables } from '~/components/database/tables'
import type { DatabasePage } from '~/components/database/types'
import { Users } from '~/components/database/users'
import { Link } from '~/components/link'
import { useLiveProps } from '~/components/live/use_live_props'
import { formatBytes } from '~/components/metrics/format_units'
import { useOperation } from '~/components/operation/use_operations'
import { OperationProgress } from '~/components/operation/operation_progress'

const RELOADED_PROPS = [
  'server',
  'database',
  'tables',
  'problem',
  'users',
  'backups',
  'backupPlan',
  'copyPlaces',
  'projects',
]

export default function DatabaseDetails(page: DatabasePage) {
  const { engine, server, tables, users, backups, uploadLimit } = page
  const operation = useOperation(page.database.operation, 'customer')
  const database = { ...page.database, operation }
  const { id, name, full_name: fullName, size_bytes: size } = database
  const [dialog, ask] = useState<DatabaseDialogName | null>(null)
  const { title, items } = engineLabels[engine]
  const barred = serverNotRunningDisabledReason(server)
  useLiveProps([`database:${id}`, 'database_server', 'server_instance'], RELOADED_PROPS)

  return (
    <>
      <Head title={name} />
      <PageHeader
        back={<Link href={databaseListHref(engine, server.server_instance_id)}>{title}</Link>}
        title={name}
        aside={<ServerStatus status={server.status} />}
        action={databaseActions({ database, server, onAsk: ask }).map(
          ({ label, reason, danger, onClick }) => (
            <ButtonWithDisabledReason
              key={label}
              variant={danger ? 'outline' : 'default'}
              color={danger ? 'red' : undefined}
              reason={reason}
              onClick={onClick}
            >
              {label}
            </ButtonWithDisabledReason>
          )
        )}
      >
        <DetailLine
          items={[
            { label: 'Server', value: server.name },
            ...(fullName === name
              ? []
              : [{ label: 'Name on the server', value: <span className="mono">{fullName}</span> }]),
            {
              label: 'Size',
              value:
                engine === 'mongodb' && database.sizeOnDisk !== null
                  ? formatBytesAsKilobytes(database.sizeOnDisk)
                  : size === null
                    ? '-'
                    : formatBytes(size),
            },
            { label: items, value: database.tables ?? '-' },
            {
              label: 'Last backup',
              value: database.last_backup_at ? (
                <DateText value={database.last_backup_at} shape="moment" />
              ) : (
                'None yet'
              ),
            },
            { label: 'Created', value: <DateText value={database.created_at} /> },
          ]}
        />
      </PageHeader>
      <ServerAlerts server={server} />
      {operation && operation.status !== 'done' && <OperationProgress operation={operation} />}
      {operation?.status === 'done' && <ImportWarnings operation={operation} />}
      <UrlTabs
        label={`Sections of ${name}`}
        tabs={[
          {
            key: 'tables',
            label: items,
            count: tables?.length,
            panel: <Tables page={page} onImport={() => ask('import')} />,
          },
          {
            key: 'query',
            label: 'Query',
            keepAlive: true,
            panel: <QueryBox engine={engine} database={database} barred={barred} />,
          },
          {
            key: 'users',
            label: 'Users',
            count: users.length,
            panel: <Users engine={engine} server={server} users={users} databases={[database]} />,
          },
          {
            key: 'backups',
            label: 'Backups',
            count: backups.length,
            panel: <Backups page={{ ...page, database }} />,
          },
          { key: 'connect', label: 'Connect', panel: <ConnectionInfo page={page} /> },
        ]}
      />
      <DatabaseDialogs
        dialog={dialog}
        engine={engine}
        server={server}
        database={database}
        uploadLimit={uploadLimit}
        onClose={() => ask(null)}
      />
    </>
  )
}
