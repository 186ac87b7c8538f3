import { useEffect, useState } from 'react'
import { Button, NativeSelect, Textarea } from '@mantine/core'
import { DateText } from '@ui/date_text'
import { StatusBadge } from '@ui/status_badge'
import { call } from '~/api_call'
import { Link, SentLink } from '~/components/link'
import { concerns, useChanges } from '~/components/live/use_changes'
import { pageOf } from '~/resource_pages'
import type { ClientFacts } from './types'
import { useStoredText } from './use_stored'
import styles from './support.module.css'

interface ClientSideProps {
  client: number
  me: number
  staff: { id: number; name: string }[]
  statuses: Record<string, string>
}

/** Beside the conversation: how it stands, who the customer is, what staff noted. */
export function ClientSide({ client, me, staff, statuses }: ClientSideProps) {
  const [facts, setFacts] = useState<ClientFacts | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [note, setNote] = useStoredText(`support-note:${me}:${client}`)
  const [turn, setTurn] = useState(0)
  const again = () => setTurn((now) => now + 1)

  useEffect(() => {
    const leaving = new AbortController()
    void call<ClientFacts>('/admin/live-support/client', {
      method: 'GET',
      data: { client_id: client },
      toasts: 'none',
      signal: leaving.signal,
    }).then(({ success, message, data }) => {
      if (leaving.signal.aborted) return
      setProblem(success ? null : message)
      if (data) setFacts(data)
    })
    return () => leaving.abort()
  }, [client, turn])
  useChanges((changes) => {
    if (concerns(changes, [`support:${client}`])) again()
  })

  const failed = problem && (
    <p className={styles.problem} role="alert">
      {problem}{' '}
      <button type="button" onClick={again}>
        Retry
      </button>
    </p>
  )
  if (!facts) {
    return (
      <aside className={styles.side} aria-label="Client" aria-busy={!problem}>
        {failed}
      </aside>
    )
  }
  const change = async (path: 'status' | 'assign', data: Record<string, unknown>) => {
    await call(`/admin/live-support/${path}`, { data: { client_id: client, ...data } })
    again()
  }
  const keep = async () => {
    const data = { client_id: client, text: note }
    const { success } = await call('/admin/live-support/note', { data })
    if (success) setNote('')
    again()
  }
  return (
    <aside className={styles.side} aria-label="Client">
      <h2>{facts.name}</h2>
      <p className={styles.dim}>{facts.email}</p>
      {failed}
      <NativeSelect
        label="Status"
        value={facts.status}
        data={Object.entries(statuses).map(([value, label]) => ({ value, label }))}
        onChange={(event) => void change('status', { status: event.currentTarget.value })}
      />
      <NativeSelect
        label="Assigned to"
        value={String(facts.assigned_to?.id ?? '')}
        data={[
          { value: '', label: 'Not assigned' },
          ...staff.map(({ id, name }) => ({ value: String(id), label: name })),
        ]}
        onChange={(event) =>
          void change('assign', { staff_id: Number(event.currentTarget.value) || null })
        }
      />
      {facts.accounts.map(({ id, name, status, role, things }) => (
        <section key={id}>
          <h3>
            <Link href={`/admin/customer/${id}`}>{name}</Link> <StatusBadge status={status} />
          </h3>
          <p className={styles.dim}>{role}</p>
          {things.map((kind) => (
            <details key={kind.label} open={kind.things.length < 4}>
              <summary>{`${kind.label} (${kind.things.length})`}</summary>
              <ul>
                {kind.things.slice(0, 20).map((thing) => (
                  <li key={thing.id}>
                    <SentLink href={thing.href}>{thing.name}</SentLink>{' '}
                    <small>{thing.status}</small>
                  </li>
                ))}
              </ul>
            </details>
          ))}
        </section>
      ))}
      <section>
        <h3>Recent failures</h3>
        {facts.failures.length === 0 && <p className={styles.dim}>No recent failures.</p>}
        <ul>
          {facts.failures.map(({ id, title, error, at, subject }) => (
            <li key={id}>
              <SentLink href={pageOf(subject, '/admin') ?? '/admin/system'}>{title}</SentLink>
              <small>
                {error} <DateText value={at} shape="staff" />
              </small>
            </li>
          ))}
        </ul>
      </section>
      <section>
        <h3>Notes</h3>
        <Textarea
          aria-label="Add a note"
          placeholder="Only staff can read this note"
          autosize
          minRows={2}
          maxLength={5_000}
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
        <Button
          size="xs"
          variant="default"
          mt="xs"
          disabled={!note.trim()}
          onClick={() => void keep()}
        >
          Save note
        </Button>
        <ul>
          {facts.notes.map(({ id, author, text, at }) => (
            <li key={id}>
              <p className={styles.text}>{text}</p>
              <small>
                {author}, <DateText value={at} shape="staff" />
              </small>
            </li>
          ))}
        </ul>
      </section>
    </aside>
  )
}
