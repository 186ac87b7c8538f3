import { useEffect, useState } from 'react'
import { Alert, Button, Group, SegmentedControl } from '@mantine/core'
import { EmptyState } from '@ui/empty_state'
import { useDelayed } from '@ui/use_delayed'
import type { PageHref } from '#core/page_addresses'
import { call } from '~/api_call'
import { affectsTopics, useChangeStream } from '~/components/live/use_change_stream'
import { Table } from '~/components/list/table'
import { ResultGrid } from './result_grid'
import type { Engine, TableRowsResult, TableStructure, TableSummary } from './types'
import styles from './database.module.css'

/** Returns the old data until new data has arrived. Reloads when the database changes. */
function useTableData<T>(
  address: PageHref,
  query: Record<string, string | number>,
  database: number
) {
  const [answer, setAnswer] = useState<T | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [loading, setLoading] = useState(true)
  const [state, setState] = useState(0)
  const text = JSON.stringify(query)
  useChangeStream((changes) => {
    if (affectsTopics(changes, [`database:${database}`])) setState((before) => before + 1)
  })

  useEffect(() => {
    const leaving = new AbortController()
    const look = async () => {
      setLoading(true)
      const { success, data, message } = await call<T>(address, {
        method: 'GET',
        data: JSON.parse(text) as Record<string, unknown>,
        signal: leaving.signal,
        toasts: 'none',
      })
      if (leaving.signal.aborted) return
      setLoading(false)
      setProblem(success ? null : message)
      if (success) setAnswer(data ?? null)
    }
    void look()
    return () => leaving.abort()
  }, [address, text, state])

  return { answer, problem, loading }
}

interface TableViewProps {
  engine: Engine
  database: number
  table: TableSummary
}

export function TableView({ engine, database, table }: TableViewProps) {
  const [shown, show] = useState<'rows' | 'structure'>('rows')
  const address = `/database/${engine}/${database}` as const
  const of = { address, database, table: table.name }
  return (
    <section className={styles.part} aria-label={table.name}>
      <header className={styles.partHead}>
        <h2 className="mono">{table.name}</h2>
        <SegmentedControl
          size="xs"
          aria-label={`View of ${table.name}`}
          value={shown}
          onChange={(value) => show(value as typeof shown)}
          data={[
            { value: 'rows', label: engine === 'mysql' ? 'Rows' : 'Documents' },
            { value: 'structure', label: engine === 'mysql' ? 'Structure' : 'Fields and indexes' },
          ]}
        />
      </header>
      {shown === 'rows' ? <TableRows {...of} /> : <StructureView {...of} />}
    </section>
  )
}

interface TablePartProps {
  address: `/database/${Engine}/${number}`
  database: number
  table: string
}

function TableRows({ address, database, table }: TablePartProps) {
  /** Start cursor of each visited page. Null for the first page. */
  const [cursors, setCursors] = useState<(string | null)[]>([null])
  const page = cursors.length
  const after = cursors[page - 1]
  const { answer, problem, loading } = useTableData<TableRowsResult>(
    `${address}/rows`,
    { table, page, limit: PAGE_ROWS, ...(after !== null && { after }) },
    database
  )
  const slow = useDelayed(loading)
  if (problem) return <ProblemAlert message={problem} />
  if (!answer) return <div className={styles.bones} />
  if (answer.rows.length === 0 && page === 1) {
    return <EmptyState title="No rows yet" hint="Import a file, or insert rows with a query." />
  }
  const first = (page - 1) * PAGE_ROWS + 1
  return (
    <div className={styles.rows} aria-busy={slow || undefined}>
      <ResultGrid label={`Rows of ${table}`} answer={answer} first={first} />
      <Group justify="space-between" gap="xs">
        <span role="status">
          {answer.rows.length
            ? `${first.toLocaleString('en-US')} to ${(first + answer.rows.length - 1).toLocaleString('en-US')}`
            : 'No more rows'}
        </span>
        <Group gap="xs">
          <Button
            size="compact-sm"
            variant="default"
            disabled={page === 1}
            onClick={() => setCursors(cursors.slice(0, -1))}
          >
            Previous
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            disabled={!answer.more}
            onClick={() => setCursors([...cursors, answer.next ?? null])}
          >
            Next
          </Button>
        </Group>
      </Group>
    </div>
  )
}

const PAGE_ROWS = 100

function StructureView({ address, database, table }: TablePartProps) {
  const { answer, problem } = useTableData<TableStructure>(
    `${address}/structure`,
    { table },
    database
  )
  if (problem) return <ProblemAlert message={problem} />
  if (!answer) return <div className={styles.bones} />
  return (
    <div className={styles.rows}>
      <Table
        label={`Columns of ${table}`}
        rows={answer.columns}
        rowKey={({ name }) => name}
        columns={[
          { label: 'Column', mono: true, phone: 'title', cell: ({ name }) => name },
          { label: 'Type', mono: true, phone: 'second', cell: ({ type }) => type },
          {
            label: 'NULL',
            width: '80px',
            cell: ({ nullable }) => (nullable ? 'Yes' : 'No'),
          },
          { label: 'Key', width: '80px', phone: 'aside', cell: ({ key }) => key },
          {
            label: 'Default',
            mono: true,
            cell: ({ default: value }) =>
              value === null ? <em className={styles.null}>NULL</em> : value,
          },
          { label: 'Extra', mono: true, cell: ({ extra }) => extra },
        ]}
      />
      <h3>Indexes</h3>
      {answer.indexes.length ? (
        <Table
          label={`Indexes of ${table}`}
          rows={answer.indexes}
          rowKey={({ name }) => name}
          columns={[
            { label: 'Index', mono: true, phone: 'title', cell: ({ name }) => name },
            {
              label: 'Columns',
              mono: true,
              phone: 'second',
              cell: ({ columns }) => columns.join(', '),
            },
            {
              label: 'Unique',
              width: '100px',
              phone: 'aside',
              phoneLabel: true,
              cell: ({ unique }) => (unique ? 'Yes' : 'No'),
            },
          ]}
        />
      ) : (
        <p className={styles.calm}>No indexes. Every query reads the whole table.</p>
      )}
    </div>
  )
}

function ProblemAlert({ message }: { message: string }) {
  return (
    <Alert color="red" role="alert" className={styles.said}>
      {message}
    </Alert>
  )
}
