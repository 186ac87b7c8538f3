import { router, usePage } from '@inertiajs/react'
import { Button } from '@mantine/core'
import { EmptyState } from '@ui/empty_state'
import { Table } from '~/components/list/table'
import { formatBytes } from '~/components/metrics/format_units'
import { pushUrl } from '~/client_navigation'
import { engineLabels } from './engine_labels'
import { TableView } from './table_view'
import type { DatabasePage } from './types'
import styles from './database.module.css'

interface TablesProps {
  page: DatabasePage
  onImport: () => void
}

/** Selecting a table or collection opens it below the list. */
export function Tables({ page, onImport }: TablesProps) {
  const { url } = usePage()
  const { engine, database, tables, problem } = page
  const { items, item } = engineLabels[engine]
  const address = new URL(url, 'http://page')
  const selected = tables?.find(({ name }) => name === address.searchParams.get('table'))

  const open = (name: string) => {
    address.searchParams.set('table', name)
    pushUrl(address.pathname + address.search)
  }

  if (!tables) {
    return (
      <EmptyState
        title={`${items} cannot be shown`}
        hint={problem ?? 'The database server does not respond.'}
        action={<Button onClick={() => router.reload()}>Try again</Button>}
      />
    )
  }
  if (tables.length === 0) {
    return (
      <EmptyState
        title={`No ${items.toLowerCase()} yet`}
        hint="Apps create them during their setup. You can also import a file."
        action={<Button onClick={onImport}>Import</Button>}
      />
    )
  }
  return (
    <>
      <Table
        label={items}
        rows={tables}
        rowKey={({ name }) => name}
        columns={[
          {
            label: 'Name',
            phone: 'title',
            mono: true,
            cell: ({ name, type }) => (
              <>
                <button
                  type="button"
                  className={styles.open}
                  title={name}
                  aria-label={`Open ${name}`}
                  aria-pressed={name === selected?.name}
                  onClick={() => open(name)}
                >
                  {name}
                </button>
                {type !== item && <small>{type}</small>}
              </>
            ),
          },
          {
            label: engine === 'mysql' ? 'Rows (estimate)' : 'Documents (estimate)',
            align: 'right',
            width: '170px',
            phone: 'second',
            phoneLabel: true,
            cell: ({ rows }) => rows?.toLocaleString('en-US') ?? '-',
          },
          {
            label: 'Size',
            align: 'right',
            width: '120px',
            phone: 'aside',
            cell: ({ size_bytes: size }) => (size === null ? '-' : formatBytes(size)),
          },
        ]}
      />
      {selected && (
        <TableView key={selected.name} engine={engine} database={database.id} table={selected} />
      )}
    </>
  )
}
