import { useState } from 'react'
import { Head } from '@inertiajs/react'
import { DateText } from '@ui/date_text'
import { KeyFacts } from '@ui/key_facts'
import { PageHeader } from '@ui/page_header'
import { DisabledReason } from '@ui/disabled_reason'
import { AddressTabs } from '~/components/address_tabs'
import { Backups } from '~/components/database/backups'
import { Connect } from '~/components/database/connect'
import {
  barredBy,
  databaseActions,
  DatabaseDialogs,
  type DatabaseDialog,
} from '~/components/database/database_actions'
import { kilobytes } from '~/components/database/database_list'
import { engineLabels } from '~/components/database/engine_labels'
import { ImportChanges } from '~/components/database/import_dialog'
import { QueryBox } from '~/components/database/query_box'
import { listOf, ServerNotes, ServerStatus } from '~/components/database/server_bar'
import { Tables } from '~/components/database/tables'
import type { DatabasePage } from '~/components/database/types'
import { Users } from '~/components/database/users'
import { Link } from '~/components/link'
import { useLiveProps } from '~/components/live/use_live_props'
import { bytes } from '~/components/metrics/units'
import { useOperation } from '~/components/operation/watch_operation'
import { OperationProgress } from '~/components/operation/progress'

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

/** One database: what is in it, who may use it, its copies, and how it is reached. */
export default function DatabaseDetails(page: DatabasePage) {
  const { engine, server, tables, users, backups, uploadLimit } = page
  const operation = useOperation(page.database.operation, 'customer')
  const database = { ...page.database, operation }
  const { id, name, full_name: fullName, size_bytes: size } = database
  const [asked, ask] = useState<DatabaseDialog | null>(null)
  const { title, items } = engineLabels[engine]
  const barred = barredBy(server)
  useLiveProps([`database:${id}`, 'database_server', 'server_instance'], RELOADED_PROPS)

  return (
    <>
      <Head title={name} />
      <PageHeader
        back={<Link href={listOf(engine, server.server_instance_id)}>{title}</Link>}
        title={name}
        aside={<ServerStatus status={server.status} />}
        action={databaseActions({ database, server, onAsk: ask }).map(
          ({ label, reason, danger, onClick }) => (
            <DisabledReason
              key={label}
              variant={danger ? 'outline' : 'default'}
              color={danger ? 'red' : undefined}
              reason={reason}
              onClick={onClick}
            >
              {label}
            </DisabledReason>
          )
        )}
      >
        <KeyFacts
          facts={[
            { label: 'Server', value: server.name },
            ...(fullName === name
              ? []
              : [{ label: 'Name on the server', value: <span className="mono">{fullName}</span> }]),
            {
              label: 'Size',
              value:
                engine === 'mongodb' && database.sizeOnDisk !== null
                  ? kilobytes(database.sizeOnDisk)
                  : size === null
                    ? '-'
                    : bytes(size),
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
      <ServerNotes server={server} />
      {operation && operation.status !== 'done' && <OperationProgress operation={operation} />}
      {operation?.status === 'done' && <ImportChanges operation={operation} />}
      <AddressTabs
        label={`Parts of ${name}`}
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
          { key: 'connect', label: 'Connect', panel: <Connect page={page} /> },
        ]}
      />
      <DatabaseDialogs
        asked={asked}
        engine={engine}
        server={server}
        database={database}
        uploadLimit={uploadLimit}
        onClose={() => ask(null)}
      />
    </>
  )
}
