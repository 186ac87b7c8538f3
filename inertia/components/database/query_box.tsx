import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { Alert, Button, Group, NativeSelect, Switch } from '@mantine/core'
import { useMounted } from '@mantine/hooks'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { notify } from '@ui/notify'
import { durationText } from '@ui/step_list'
import type { NonGetRoutePath } from '#core/page_addresses'
import { call } from '~/api_call'
import { countWithNoun } from '../../../packages/text/count_with_noun'
import { toCsv } from './csv'
import { downloadFile, saveTextFile } from './download_file'
import { ResultGrid } from './result_grid'
import { SlowQueries } from './slow_queries'
import type { DatabaseRow, Engine, QueryResponse } from './types'
import styles from './database.module.css'

const Editor = lazy(() => import('~/components/file_manager/text_editor'))

interface QueryBoxProps {
  engine: Engine
  database: Pick<DatabaseRow, 'id' | 'name'>
  /** Reason why no query can be run now. */
  barred: string | null
}

const rowLimits = [100, 500, 1_000]
const timeLimitsSeconds = [10, 30, 60]

const examples: Record<Engine, { name: string; field: string; text: string }> = {
  mysql: { name: 'query.sql', field: 'sql', text: 'SELECT ' },
  mongodb: { name: 'query.json', field: 'query', text: '{ "find": "", "filter": {} }' },
}

/** Runs queries, which are read-only unless the user allows changes. */
export function QueryBox({ engine, database, barred }: QueryBoxProps) {
  const { name: file, field, text: first } = examples[engine]
  const address = `/database/${engine}/${database.id}/query` as const
  const [text, setText] = useState(first)
  const [readOnly, setReadOnly] = useState(true)
  const [limit, setLimit] = useState(rowLimits[0])
  const [time, setTime] = useState(timeLimitsSeconds[0])
  const [answer, setAnswer] = useState<QueryResponse | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [running, setRunning] = useState<string | null>(null)
  /** The last query that was run. Saving the complete result as a file runs it again. */
  const [request, setRequest] = useState<{ text: string; write: boolean } | null>(null)
  const box = useRef<HTMLDivElement>(null)
  const resultRef = useRef<HTMLDivElement>(null)
  const mounted = useMounted()

  useEffect(() => {
    if (problem) resultRef.current?.scrollIntoView({ block: 'nearest' })
  }, [problem])

  const reason = barred ?? (text.trim() ? null : 'Write a query first.')

  const run = async () => {
    if (running || reason) return
    const id = crypto.randomUUID()
    setRunning(id)
    setRequest({ text, write: !readOnly })
    setProblem(null)
    const { success, data, message, errors } = await call<QueryResponse>(address, {
      data: { id, [field]: text, write: !readOnly, limit, timeout: time },
      toasts: 'none',
    })
    setRunning(null)
    setAnswer(success ? (data ?? null) : null)
    const messages = Object.values(errors).flat()
    setProblem(success ? null : messages.length ? messages.join(' ') : message)
  }

  const cancel = () => void call(`${address}/cancel`, { data: { id: running }, toasts: 'failures' })

  return (
    <div className={styles.query} ref={box}>
      <div className={styles.editor}>
        {mounted && (
          <Suspense fallback={<div className={styles.bones} />}>
            <Editor
              name={file}
              label="Query"
              content={first}
              onChange={setText}
              onSave={() => void run()}
              onRun={() => void run()}
            />
          </Suspense>
        )}
      </div>
      <Group gap="sm" className={styles.controls}>
        <ButtonWithDisabledReason
          loading={running !== null}
          reason={reason}
          onClick={() => void run()}
        >
          Run
        </ButtonWithDisabledReason>
        <ButtonWithDisabledReason
          variant="default"
          reason={running ? null : 'Nothing is running.'}
          onClick={cancel}
        >
          Cancel
        </ButtonWithDisabledReason>
        <Switch
          label="Read-only"
          checked={readOnly}
          onChange={(event) => setReadOnly(event.currentTarget.checked)}
        />
        <NativeSelect
          size="xs"
          aria-label="Row limit"
          value={limit}
          data={rowLimits.map((value) => ({
            value: String(value),
            label: `${value.toLocaleString('en-US')} rows`,
          }))}
          onChange={(event) => setLimit(Number(event.currentTarget.value))}
        />
        <NativeSelect
          size="xs"
          aria-label="Time limit"
          value={time}
          data={timeLimitsSeconds.map((value) => ({
            value: String(value),
            label: `${value} s`,
          }))}
          onChange={(event) => setTime(Number(event.currentTarget.value))}
        />
        <span className={styles.hint}>Press Ctrl+Enter to run.</span>
      </Group>
      {!readOnly && (
        <Alert color="yellow" role="status">
          Changes take effect immediately. To undo them, restore an earlier backup.
        </Alert>
      )}
      {problem && (
        <Alert
          ref={resultRef}
          color="red"
          role="alert"
          title="The query failed"
          className={styles.said}
        >
          {problem}
        </Alert>
      )}
      {answer && request && (
        <QueryResult
          answer={answer}
          name={database.name}
          all={
            answer.more && !request.write
              ? { address: `${address}/csv`, data: { [field]: request.text } }
              : null
          }
        />
      )}
      <SlowQueries engine={engine} database={database.id} />
    </div>
  )
}

interface QueryResultProps {
  answer: QueryResponse
  name: string
  /** Call that returns all rows. Null if the shown result is complete, or if the query could change data. */
  all: { address: NonGetRoutePath; data: Record<string, unknown> } | null
}

function QueryResult({ answer, name, all }: QueryResultProps) {
  const [fetched, setFetched] = useState<number | null>(null)
  const leaving = useRef<AbortController | null>(null)
  useEffect(() => () => leaving.current?.abort(), [])

  const saveAll = async () => {
    if (!all) return saveTextFile(`\ufeff${toCsv(columns, rows)}`, `${name}.csv`, 'text/csv')
    const own = new AbortController()
    leaving.current = own
    setFetched(0)
    const { problem } = await downloadFile({ ...all, signal: own.signal, onBytes: setFetched })
    if (own.signal.aborted) return
    setFetched(null)
    if (problem) void notify({ success: false, message: problem })
  }

  const { columns, rows, more, changed, took } = answer
  const text =
    changed === null
      ? `${countWithNoun(rows.length, 'row')}${more ? ', more available' : ''}`
      : `${countWithNoun(changed, 'row')} changed`
  return (
    <section aria-label="Result" className={styles.rows}>
      <Group justify="space-between" gap="xs">
        <span role="status">
          {text} · {durationText(took)}
        </span>
        {columns.length > 0 && (
          <Button
            size="compact-sm"
            variant="default"
            loading={fetched !== null}
            onClick={() => void saveAll()}
          >
            {all ? 'Download all as CSV' : 'Download CSV'}
          </Button>
        )}
      </Group>
      {columns.length > 0 && <ResultGrid label="Result rows" answer={answer} />}
    </section>
  )
}
