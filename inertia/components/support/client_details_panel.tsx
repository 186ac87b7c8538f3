import { useEffect, useState } from 'react'
import { Button, NativeSelect, Textarea } from '@mantine/core'
import { DateText } from '@ui/date_text'
import { StatusBadge } from '@ui/status_badge'
import { call } from '~/api_call'
import { Link, UntypedLink } from '~/components/link'
import { affectsTopics, useChangeStream } from '~/components/live/use_change_stream'
import { resourceHref } from '~/resource_href'
import type { ClientDetails } from './types'
import { useStoredText } from './use_stored_text'
import styles from './support.module.css'

interface ClientSidebarProps {
  client: number
  me: number
  staff: { id: number; name: string }[]
  statuses: Record<string, string>
}

export function ClientDetailsPanel({ client, me, staff, statuses }: ClientSidebarProps) {
  const [details, setDetails] = useState<ClientDetails | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [note, setNote] = useStoredText(`support-note:${me}:${client}`)
  const [turn, setTurn] = useState(0)
  const again = () => setTurn((now) => now + 1)

  useEffect(() => {
    const leaving = new AbortController()
    void call<ClientDetails>('/admin/live-support/client', {
      method: 'GET',
      data: { client_id: client },
      toasts: 'none',
      signal: leaving.signal,
    }).then(({ success, message, data }) => {
      if (leaving.signal.aborted) return
      setProblem(success ? null : message)
      if (data) setDetails(data)
    })
    return () => leaving.abort()
  }, [client, turn])
  useChangeStream((changes) => {
    if (affectsTopics(changes, [`support:${client}`])) again()
  })

  const failed = problem && (
    <p className={styles.problem} role="alert">
      {problem}{' '}
      <button type="button" onClick={again}>
        Retry
      </button>
    </p>
  )
  if (!details) {
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
      <h2>{details.name}</h2>
      <p className={styles.dim}>{details.email}</p>
      {failed}
      <NativeSelect
        label="Status"
        value={details.status}
        data={Object.entries(statuses).map(([value, label]) => ({ value, label }))}
        onChange={(event) => void change('status', { status: event.currentTarget.value })}
      />
      <NativeSelect
        label="Assigned to"
        value={String(details.assigned_to?.id ?? '')}
        data={[
          { value: '', label: 'Not assigned' },
          ...staff.map(({ id, name }) => ({ value: String(id), label: name })),
        ]}
        onChange={(event) =>
          void change('assign', { staff_id: Number(event.currentTarget.value) || null })
        }
      />
      {details.accounts.map(({ id, name, status, role, things }) => (
        <section key={id}>
          <h3>
            <Link href={`/admin/customer/${id}`}>{name}</Link> <StatusBadge status={status} />
          </h3>
          <p className={styles.dim}>{role}</p>
          {things.map((kind) => (
            <details key={kind.label} open={kind.things.length < 4}>
              <summary>{`${kind.label} (${kind.things.length})`}</summary>
              <ul>
                {kind.things.slice(0, 20).map((resource) => (
                  <li key={resource.id}>
                    <UntypedLink href={resource.href}>{resource.name}</UntypedLink>{' '}
                    <small>{resource.status}</small>
                  </li>
                ))}
              </ul>
            </details>
          ))}
        </section>
      ))}
      <section>
        <h3>Recent failures</h3>
        {details.failures.length === 0 && <p className={styles.dim}>No recent failures.</p>}
        <ul>
          {details.failures.map(({ id, title, error, at, subject }) => (
            <li key={id}>
              <UntypedLink href={resourceHref(subject, '/admin') ?? '/admin/system'}>
                {title}
              </UntypedLink>
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
          {details.notes.map(({ id, author, text, at }) => (
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
