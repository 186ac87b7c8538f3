import { useState } from 'react'
import { Alert, Button, Group } from '@mantine/core'
import { ConfirmDialog } from '@ui/confirm_dialog'
import { DateText } from '@ui/date_text'
import { call } from '~/api_call'
import { Table } from '~/components/list/table'
import type { Engine, SlowQueries as Slow } from './types'
import styles from './database.module.css'

interface SlowQueriesProps {
  engine: Engine
  database: number
}

/** Shows queries that took more than a second. They are loaded on request. */
export function SlowQueries({ engine, database }: SlowQueriesProps) {
  const address = `/database/${engine}/${database}/slow` as const
  const [slow, setSlow] = useState<Slow | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const [asking, ask] = useState(false)

  const look = async () => {
    setBusy(true)
    const { success, data, message } = await call<Slow>(address, { toasts: 'none' })
    setBusy(false)
    setSlow(success ? (data ?? null) : null)
    setProblem(success ? (data?.problem ?? null) : message)
  }

  const reset = async () => {
    const answer = await call(`${address}/reset`, { method: 'POST', toasts: 'successes' })
    if (answer.success) await look()
    return answer
  }

  return (
    <section className={styles.part} aria-label="Slow queries">
      <header className={styles.partHead}>
        <h2>Slow queries</h2>
        <Group gap="xs">
          {slow && slow.queries.length > 0 && (
            <Button size="compact-sm" variant="default" onClick={() => ask(true)}>
              Reset
            </Button>
          )}
          <Button size="compact-sm" variant="default" loading={busy} onClick={() => void look()}>
            {slow ? 'Refresh' : 'Show'}
          </Button>
        </Group>
      </header>
      {problem && (
        <Alert color="yellow" role="status">
          {problem}
        </Alert>
      )}
      {slow && !problem && slow.queries.length === 0 && (
        <p className={styles.calm}>No query took more than 1 second.</p>
      )}
      {slow && slow.queries.length > 0 && (
        <Table
          label="Slow queries"
          rows={slow.queries}
          rowKey={({ statement }) => statement}
          columns={[
            { label: 'Statement', mono: true, phone: 'title', cell: ({ statement }) => statement },
            {
              label: 'Runs',
              align: 'right',
              width: '90px',
              phone: 'second',
              phoneLabel: true,
              cell: ({ count }) => count.toLocaleString('en-US'),
            },
            {
              label: 'Mean',
              align: 'right',
              width: '90px',
              phone: 'second',
              phoneLabel: true,
              cell: ({ mean }) => `${mean.toFixed(1)} s`,
            },
            {
              label: 'Longest',
              align: 'right',
              width: '100px',
              cell: ({ max }) => `${max.toFixed(1)} s`,
            },
            {
              label: 'Last run',
              width: '190px',
              cell: ({ last }) => <DateText value={last} shape="moment" />,
            },
          ]}
        />
      )}
      <ConfirmDialog
        opened={asking}
        question="This deletes the slow query statistics of all databases on this server."
        confirm="Reset statistics"
        onConfirm={reset}
        onClose={() => ask(false)}
      />
    </section>
  )
}
