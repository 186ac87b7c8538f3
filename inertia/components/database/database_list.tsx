import { useState, type ReactNode } from 'react'
import { DateText } from '@ui/date_text'
import { StatusBadge } from '@ui/status_badge'
import { List } from '~/components/list/list'
import type { Column } from '~/components/list/table'
import { Link } from '~/components/link'
import { formatBytes } from '~/components/metrics/format_units'
import { isFinished, useOperations } from '~/components/operation/use_operations'
import { OperationProgress } from '~/components/operation/operation_progress'
import { ActionMenu } from '~/components/action_menu'
import { DatabaseDialogs, databaseActions, type DatabaseDialogName } from './database_actions'
import { engineLabels } from './engine_labels'
import { serverParams } from './server_params'
import type { DatabaseListPage, DatabaseRow } from './types'

interface DatabaseListProps {
  page: DatabaseListPage
  empty: { title: string; hint: string; action?: ReactNode }
}

export function DatabaseList({ page, empty }: DatabaseListProps) {
  const { engine, server, databases, uploadLimit } = page
  const [dialog, ask] = useState<{ what: DatabaseDialogName; id: number } | null>(null)
  const asking = databases.find(({ id }) => id === dialog?.id)
  const work = useOperations(
    [...databases, { operation: server?.operation }].flatMap(({ operation }) => operation ?? []),
    'customer'
  )
  const workOf = ({ operation }: DatabaseRow) => operation && (work.get(operation.id) ?? operation)
  const shown = [...work.values()].filter(({ status }) => status !== 'done')
  const { items } = engineLabels[engine]

  const size: Column<DatabaseRow> =
    engine === 'mongodb'
      ? {
          label: 'Size',
          align: 'right',
          mono: true,
          sort: 'size',
          width: '120px',
          phone: 'aside',
          cell: ({ sizeOnDisk }) =>
            sizeOnDisk === null ? '-' : formatBytesAsKilobytes(sizeOnDisk),
        }
      : {
          label: 'Size',
          align: 'right',
          mono: true,
          sort: 'size',
          width: '120px',
          phone: 'aside',
          cell: ({ size_bytes: size }) => (size === null ? '-' : formatBytes(size)),
        }

  return (
    <>
      {shown.map((operation) => (
        <OperationProgress key={operation.id} operation={operation} />
      ))}
      <List<DatabaseRow>
        path={`/database/${engine}`}
        query={server ? serverParams(server) : undefined}
        name={`database-${engine}`}
        answer={{ ...page, rows: databases, statuses: {} }}
        props={['databases', 'users', 'droppedCopies', 'server', 'serverChoices', 'problem']}
        live={['database', 'database_server', 'server_instance']}
        label="Databases"
        all="All Databases"
        rowKey={({ id }) => id}
        rowHref={({ id }) => `/database/${engine}/${id}`}
        empty={empty}
        columns={[
          {
            label: 'Name',
            sort: 'name',
            phone: 'title',
            cell: (row) => (
              <>
                <Link href={`/database/${engine}/${row.id}`} title={row.full_name}>
                  {row.name}
                </Link>
                <OperationBadge operation={workOf(row)} />
              </>
            ),
          },
          size,
          {
            label: items,
            align: 'right',
            width: '110px',
            phone: 'second',
            phoneLabel: true,
            cell: ({ tables }) => tables ?? '-',
          },
          {
            label: 'Users',
            align: 'right',
            width: '90px',
            cell: ({ users }) => users,
          },
          {
            label: 'Last backup',
            width: '190px',
            cell: ({ last_backup_at: at }) =>
              at ? <DateText value={at} shape="moment" /> : 'None yet',
          },
          {
            label: 'Actions',
            align: 'right',
            width: '90px',
            phone: 'action',
            cell: (row) => (
              <ActionMenu
                label={`Actions for ${row.name}`}
                actions={databaseActions({
                  database: { ...row, operation: workOf(row) },
                  server,
                  onAsk: (what) => ask({ what, id: row.id }),
                })}
              />
            ),
          },
        ]}
      />
      {server && asking && (
        <DatabaseDialogs
          dialog={dialog?.what ?? null}
          engine={engine}
          server={server}
          database={asking}
          uploadLimit={uploadLimit}
          onClose={() => ask(null)}
        />
      )}
    </>
  )
}

/** Formats a size in KB, because the specification requires this unit for MongoDB. */
export function formatBytesAsKilobytes(size: number) {
  return `${(size / 1024).toLocaleString('en-US', { maximumFractionDigits: 1 })} KB`
}

/** Labels of failures after which the database can still be used. */
const failureLabels: Record<string, string> = {
  'database.import': 'Import failed',
  'database.backup': 'Backup failed',
}

function OperationBadge({ operation }: Pick<DatabaseRow, 'operation'>) {
  if (!operation || operation.status === 'done') return null
  const isLost = isFinished(operation) || operation.status === 'stuck'
  return (
    <StatusBadge
      status={isLost ? 'failed' : 'working'}
      label={isLost ? (failureLabels[operation.kind] ?? 'Failed') : operation.title.split(' ')[0]}
      tone={isLost ? 'loss' : 'wait'}
    />
  )
}
