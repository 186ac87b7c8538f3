import { useEffect, useState } from 'react'
import { Alert, Badge, Button, Group, Loader, Stack, Text, Textarea } from '@mantine/core'
import { DangerDialog } from '@ui/confirm_dialog'
import { Dialog } from '@ui/dialog'
import { DisabledReason } from '@ui/disabled_reason'
import { FormFrame } from '@ui/form_frame'
import { call } from '~/api_call'
import { separatorOf } from '~/components/file_manager/line_ends'
import {
  placeData,
  type Conflict,
  type GitPlace,
  type OpenMerge,
  type Side,
  type Sides,
} from './types'
import styles from './conflicts.module.css'

interface ConflictsDialogProps {
  opened: boolean
  place: GitPlace
  /** the branch that is merged into */
  current: string
  onClose: () => void
  /** when files of the folder have changed */
  onChange: () => void
}

/** A merge that was begun: its files in conflict with both sides, and the two ways out of it. */
export function ConflictsDialog({ opened, onClose, ...rest }: ConflictsDialogProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title="Resolve conflicts" size="64rem">
      <OpenMergeView {...rest} onClose={onClose} />
    </Dialog>
  )
}

type State = { merge?: OpenMerge; refusal?: string }

function OpenMergeView({
  place,
  current,
  onClose,
  onChange,
}: Omit<ConflictsDialogProps, 'opened'>) {
  const { path, serverInstanceId, projectId } = place
  const [state, setState] = useState<State>({})
  const [chosen, setChosen] = useState<string | null>(null)
  const [changes, setChanges] = useState(0)
  const [busy, setBusy] = useState(false)
  const [aborting, setAborting] = useState(false)

  useEffect(() => {
    const leaving = new AbortController()
    const { signal } = leaving
    const load = async () => {
      const { data, message } = await call<{ merge: OpenMerge }>('/git/conflicts', {
        method: 'GET',
        data: placeData({ path, serverInstanceId, projectId }),
        signal,
        toasts: 'none',
      })
      if (!signal.aborted) setState(data ? { merge: data.merge } : { refusal: message })
    }
    void load()
    return () => leaving.abort()
  }, [path, serverInstanceId, projectId, changes])

  const end = async (way: '/git/finish-merge' | '/git/abort-merge') => {
    setBusy(true)
    const answer = await call(way, {
      data: placeData(place),
      toasts: way === '/git/abort-merge' ? 'successes' : 'all',
    })
    setBusy(false)
    if (answer.success) {
      onChange()
      onClose()
    }
    return answer
  }
  const solved = () => {
    setChanges((count) => count + 1)
    onChange()
  }

  const { merge, refusal } = state
  if (refusal !== undefined) {
    return (
      <Alert color="red" role="alert">
        {refusal}
      </Alert>
    )
  }
  if (!merge) return <Loader size="sm" aria-label="Loading conflicts" />
  const { conflicts, title } = merge
  const open = conflicts.find(({ file }) => file === chosen) ?? conflicts[0]
  const left = conflicts.length === 1 ? '1 file is' : `${conflicts.length} files are`
  return (
    <Stack gap="md">
      <Text size="sm" className={styles.words} role="status">
        {open
          ? `${title || 'A merge'} into ${current}: ${left} in conflict.`
          : 'All conflicts are resolved. Finish the merge.'}
      </Text>
      {open && (
        <div className={styles.parts}>
          <nav className={styles.files} aria-label="Files in conflict">
            {conflicts.map((conflict) => (
              <button
                key={conflict.file}
                type="button"
                className={styles.file}
                aria-current={conflict === open || undefined}
                onClick={() => setChosen(conflict.file)}
              >
                {conflict.file}
              </button>
            ))}
          </nav>
          <FileConflict
            key={open.file}
            place={place}
            conflict={open}
            current={current}
            onSolved={solved}
          />
        </div>
      )}
      <Group justify="space-between" gap="xs">
        <Button variant="default" color="red" onClick={() => setAborting(true)}>
          Abort merge
        </Button>
        <DisabledReason
          loading={busy}
          reason={open ? 'Resolve all conflicts first.' : null}
          onClick={() => void end('/git/finish-merge')}
        >
          Finish merge
        </DisabledReason>
      </Group>
      <DangerDialog
        opened={aborting}
        question="Abort this merge?"
        losses={['Your changes that resolve conflicts of this merge']}
        confirm="Abort merge"
        onConfirm={() => end('/git/abort-merge')}
        onClose={() => setAborting(false)}
      />
    </Stack>
  )
}

interface FileConflictProps {
  place: GitPlace
  conflict: Conflict
  current: string
  onSolved: () => void
}

type Kept = 'ours' | 'theirs' | 'text'

/** One file: both sides, and what is to be kept. */
function FileConflict({ place, conflict, current, onSolved }: FileConflictProps) {
  const { file } = conflict
  const { path, serverInstanceId, projectId } = place
  const [sides, setSides] = useState<Sides | null>(null)
  const [edited, setEdited] = useState<string | null>(null)
  const [busy, setBusy] = useState<Kept | null>(null)
  const isFile = [conflict.ours, conflict.theirs].every(
    (kind) => kind === 'file' || kind === 'deleted'
  )

  useEffect(() => {
    if (!isFile) return
    const leaving = new AbortController()
    const { signal } = leaving
    const load = async () => {
      const { data } = await call<{ sides: Sides }>('/git/conflict', {
        method: 'GET',
        data: { ...placeData({ path, serverInstanceId, projectId }), file },
        signal,
        toasts: 'failures',
      })
      if (!signal.aborted && data) setSides(data.sides)
    }
    void load()
    return () => leaving.abort()
  }, [path, serverInstanceId, projectId, file, isFile])

  const texts = sides && [sides.ours, sides.theirs].filter((side) => side.kind === 'text')
  const first = texts?.[0]?.kind === 'text' ? texts[0].text : null
  // A field has \n alone; the file keeps the line ends it has.
  const wanted = () => edited?.replaceAll('\n', separatorOf(first ?? ''))
  const solve = async (keep: Kept) => {
    setBusy(keep)
    const answer = await call('/git/solve-conflict', {
      data: { ...placeData(place), file, keep, ...(keep === 'text' && { text: wanted() }) },
    })
    setBusy(null)
    if (answer.success || answer.status === 404) onSolved()
  }

  const why = !isFile
    ? 'This is a link or another repository, not a text file. Keep one of the two versions.'
    : sides && first === null
      ? 'Neither version can be shown as text. Keep one of them.'
      : null
  return (
    <section className={styles.sides} aria-label={`Conflict in ${file}`}>
      <SideView
        title="Ours"
        of={current}
        side={sides?.ours ?? null}
        kind={conflict.ours}
        busy={busy === 'ours'}
        onKeep={() => void solve('ours')}
      />
      <SideView
        title="Theirs"
        of="the merged branch"
        side={sides?.theirs ?? null}
        kind={conflict.theirs}
        busy={busy === 'theirs'}
        onKeep={() => void solve('theirs')}
      />
      <div className={styles.edit}>
        {edited === null ? (
          <DisabledReason
            variant="default"
            size="xs"
            reason={why}
            onClick={() => first !== null && setEdited(first.replaceAll('\r\n', '\n'))}
          >
            Edit text
          </DisabledReason>
        ) : (
          <FormFrame
            form={{
              errors: {},
              formError: null,
              busy: busy === 'text',
              submit: () => void solve('text'),
            }}
            submit="Use this text"
            buttons="left"
            onCancel={() => setEdited(null)}
          >
            <Textarea
              name="text"
              label="File text"
              description="This field starts with the text of the first version above."
              rows={12}
              autoFocus
              spellCheck={false}
              classNames={{ input: styles.text }}
              value={edited}
              onChange={(event) => setEdited(event.currentTarget.value)}
            />
          </FormFrame>
        )}
      </div>
    </section>
  )
}

interface SideViewProps {
  title: 'Ours' | 'Theirs'
  /** whose it is */
  of: string
  side: Side | null
  kind: Conflict['ours']
  busy: boolean
  onKeep: () => void
}

function SideView({ title, of, side, kind, busy, onKeep }: SideViewProps) {
  const words = wordsOf(kind, side)
  return (
    <div className={styles.side} role="group" aria-label={title}>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size="sm" fw={500} className={styles.words}>
          {title}{' '}
          <Text span size="xs" c="dimmed">
            {of}
          </Text>
        </Text>
        <Button size="compact-xs" variant="default" loading={busy} onClick={onKeep}>
          Use {title.toLowerCase()}
        </Button>
      </Group>
      {words !== null ? (
        <Badge variant="default" className={styles.kind}>
          {words}
        </Badge>
      ) : (
        // Readers of the page and keyboards scroll in it.
        <pre className={styles.content} tabIndex={0} aria-label={`Text of ${title.toLowerCase()}`}>
          {side?.kind === 'text' ? side.text : ''}
        </pre>
      )}
    </div>
  )
}

/** What a side is where no text of it can be shown; null for text, and until it is there. */
function wordsOf(kind: Conflict['ours'], side: Side | null): string | null {
  if (kind === 'deleted') return 'deleted'
  if (kind === 'link') return 'a link'
  if (kind === 'repository') return 'another repository'
  if (side?.kind === 'binary') return 'binary'
  return side?.kind === 'large' ? 'too large to show' : null
}
