import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { Alert, Button, Group, NativeSelect, Switch } from '@mantine/core'
import { useMounted } from '@mantine/hooks'
import { DisabledReason } from '@ui/disabled_reason'
import { notify } from '@ui/notify'
import { durationText } from '@ui/step_list'
import type { ChangeAddress } from '#core/page_addresses'
import { call } from '~/api_call'
import { counted } from '~/components/counted'
import { csvOf } from './csv'
import { download, saveText } from './download'
import { Grid } from './grid'
import { SlowQueries } from './slow_queries'
import type { DatabaseRow, Engine, QueryAnswer } from './types'
import styles from './database.module.css'

const Editor = lazy(() => import('~/components/file_manager/editor'))

interface QueryBoxProps {
  engine: Engine
  database: Pick<DatabaseRow, 'id' | 'name'>
  /** why nothing can be asked now */
  barred: string | null
}

const limits = [100, 500, 1_000]
const seconds = [10, 30, 60]

const examples: Record<Engine, { name: string; field: string; text: string }> = {
  mysql: { name: 'query.sql', field: 'sql', text: 'SELECT ' },
  mongodb: { name: 'query.json', field: 'query', text: '{ "find": "", "filter": {} }' },
}

/** A query and what it is answered: read-only unless that is switched off. */
export function QueryBox({ engine, database, barred }: QueryBoxProps) {
  const { name: file, field, text: first } = examples[engine]
  const address = `/database/${engine}/${database.id}/query` as const
  const [text, setText] = useState(first)
  const [readOnly, setReadOnly] = useState(true)
  const [limit, setLimit] = useState(limits[0])
  const [time, setTime] = useState(seconds[0])
  const [answer, setAnswer] = useState<QueryAnswer | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [running, setRunning] = useState<string | null>(null)
  /** what was asked last: all of its rows can be had as a file */
  const [asked, setAsked] = useState<{ text: string; write: boolean } | null>(null)
  const box = useRef<HTMLDivElement>(null)
  const said = useRef<HTMLDivElement>(null)
  const mounted = useMounted()

  useEffect(() => {
    if (problem) said.current?.scrollIntoView({ block: 'nearest' })
  }, [problem])

  const reason = barred ?? (text.trim() ? null : 'Write a query first.')

  const run = async () => {
    if (running || reason) return
    const id = crypto.randomUUID()
    setRunning(id)
    setAsked({ text, write: !readOnly })
    setProblem(null)
    const { success, data, message, errors } = await call<QueryAnswer>(address, {
      data: { id, [field]: text, write: !readOnly, limit, timeout: time },
      toasts: 'none',
    })
    setRunning(null)
    setAnswer(success ? (data ?? null) : null)
    const words = Object.values(errors).flat()
    setProblem(success ? null : words.length ? words.join(' ') : message)
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
        <DisabledReason loading={running !== null} reason={reason} onClick={() => void run()}>
          Run
        </DisabledReason>
        <DisabledReason
          variant="default"
          reason={running ? null : 'Nothing is running.'}
          onClick={cancel}
        >
          Cancel
        </DisabledReason>
        <Switch
          label="Read-only"
          checked={readOnly}
          onChange={(event) => setReadOnly(event.currentTarget.checked)}
        />
        <NativeSelect
          size="xs"
          aria-label="Row limit"
          value={limit}
          data={limits.map((value) => ({
            value: String(value),
            label: `${value.toLocaleString('en-US')} rows`,
          }))}
          onChange={(event) => setLimit(Number(event.currentTarget.value))}
        />
        <NativeSelect
          size="xs"
          aria-label="Time limit"
          value={time}
          data={seconds.map((value) => ({
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
        <Alert ref={said} color="red" role="alert" title="The query failed" className={styles.said}>
          {problem}
        </Alert>
      )}
      {answer && asked && (
        <Answer
          answer={answer}
          name={database.name}
          all={
            answer.more && !asked.write
              ? { address: `${address}/csv`, data: { [field]: asked.text } }
              : null
          }
        />
      )}
      <SlowQueries engine={engine} database={database.id} />
    </div>
  )
}

interface AnswerProps {
  answer: QueryAnswer
  name: string
  /** where all rows come from, when these are not all */
  all: { address: ChangeAddress; data: Record<string, unknown> } | null
}

function Answer({ answer, name, all }: AnswerProps) {
  const [fetched, setFetched] = useState<number | null>(null)
  const leaving = useRef<AbortController | null>(null)
  useEffect(() => () => leaving.current?.abort(), [])

  const saveAll = async () => {
    if (!all) return saveText(csvOf(columns, rows), `${name}.csv`, 'text/csv')
    const own = new AbortController()
    leaving.current = own
    setFetched(0)
    const { problem } = await download({ ...all, signal: own.signal, onBytes: setFetched })
    if (own.signal.aborted) return
    setFetched(null)
    if (problem) void notify({ success: false, message: problem })
  }

  const { columns, rows, more, changed, took } = answer
  const words =
    changed === null
      ? `${counted(rows.length, 'row')}${more ? ', more available' : ''}`
      : `${counted(changed, 'row')} changed`
  return (
    <section aria-label="Result" className={styles.rows}>
      <Group justify="space-between" gap="xs">
        <span role="status">
          {words} · {durationText(took)}
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
      {columns.length > 0 && <Grid label="Result rows" answer={answer} />}
    </section>
  )
}
