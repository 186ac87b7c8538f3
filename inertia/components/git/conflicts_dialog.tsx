import { lazy, Suspense, useEffect, useState } from 'react'
import { Alert, Badge, Button, Group, Loader, Stack, Text, Textarea } from '@mantine/core'
import { DangerDialog } from '@ui/confirm_dialog'
import { Dialog } from '@ui/dialog'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { FormFrame } from '@ui/form_frame'
import { call } from '~/api_call'
import { lineSeparator } from '~/components/file_manager/line_endings'
import {
  gitFolderParams,
  type MergeConflict,
  type GitFolder,
  type MergeState,
  type ConflictSideContent,
  type ConflictSides,
} from './types'
import styles from './conflicts.module.css'

const TextDiff = lazy(async () => ({
  default: (await import('~/components/file_manager/text_editor')).TextDiff,
}))

interface ConflictsDialogProps {
  opened: boolean
  folder: GitFolder
  /** Name of the current branch, into which the other branch is merged. */
  current: string
  onClose: () => void
  /** Called after files of the folder have changed. */
  onChange: () => void
}

export function ConflictsDialog({ opened, onClose, ...rest }: ConflictsDialogProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title="Resolve conflicts" size="64rem">
      <OpenMergeView {...rest} onClose={onClose} />
    </Dialog>
  )
}

type LoadedMerge = { merge?: MergeState; error?: string }

function OpenMergeView({
  folder,
  current,
  onClose,
  onChange,
}: Omit<ConflictsDialogProps, 'opened'>) {
  const { path, serverInstanceId, projectId } = folder
  const [state, setState] = useState<LoadedMerge>({})
  const [selected, setSelected] = useState<string | null>(null)
  const [changes, setChanges] = useState(0)
  const [busy, setBusy] = useState(false)
  const [aborting, setAborting] = useState(false)

  useEffect(() => {
    const leaving = new AbortController()
    const { signal } = leaving
    const load = async () => {
      const { data, message } = await call<{ merge: MergeState }>('/git/conflicts', {
        method: 'GET',
        data: gitFolderParams({ path, serverInstanceId, projectId }),
        signal,
        toasts: 'none',
      })
      if (!signal.aborted) setState(data ? { merge: data.merge } : { error: message })
    }
    void load()
    return () => leaving.abort()
  }, [path, serverInstanceId, projectId, changes])

  const end = async (way: '/git/finish-merge' | '/git/abort-merge') => {
    setBusy(true)
    const answer = await call(way, {
      data: gitFolderParams(folder),
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

  const { merge, error } = state
  if (error !== undefined) {
    return (
      <Alert color="red" role="alert">
        {error}
      </Alert>
    )
  }
  if (!merge) return <Loader size="sm" aria-label="Loading conflicts" />
  const { conflicts, title } = merge
  const open = conflicts.find(({ file }) => file === selected) ?? conflicts[0]
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
                onClick={() => setSelected(conflict.file)}
              >
                {conflict.file}
              </button>
            ))}
          </nav>
          <FileConflict
            key={open.file}
            folder={folder}
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
        <ButtonWithDisabledReason
          loading={busy}
          reason={open ? 'Resolve all conflicts first.' : null}
          onClick={() => void end('/git/finish-merge')}
        >
          Finish merge
        </ButtonWithDisabledReason>
      </Group>
      <DangerDialog
        opened={aborting}
        question="Abort this merge?"
        losses={['Your conflict resolutions in this merge']}
        confirm="Abort merge"
        onConfirm={() => end('/git/abort-merge')}
        onClose={() => setAborting(false)}
      />
    </Stack>
  )
}

interface FileConflictProps {
  folder: GitFolder
  conflict: MergeConflict
  current: string
  onSolved: () => void
}

type Resolution = 'ours' | 'theirs' | 'text'

function FileConflict({ folder, conflict, current, onSolved }: FileConflictProps) {
  const { file } = conflict
  const { path, serverInstanceId, projectId } = folder
  const [sides, setSides] = useState<ConflictSides | null>(null)
  const [edited, setEdited] = useState<string | null>(null)
  const [busy, setBusy] = useState<Resolution | null>(null)
  const isFile = [conflict.ours, conflict.theirs].every(
    (kind) => kind === 'file' || kind === 'deleted'
  )

  useEffect(() => {
    if (!isFile) return
    const leaving = new AbortController()
    const { signal } = leaving
    const load = async () => {
      const { data } = await call<{ sides: ConflictSides }>('/git/conflict', {
        method: 'GET',
        data: { ...gitFolderParams({ path, serverInstanceId, projectId }), file },
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
  // The lines of a textarea end with LF. If the first text version has only CRLF line endings, this restores them.
  const wanted = () => edited?.replaceAll('\n', lineSeparator(first ?? ''))
  const solve = async (keep: Resolution) => {
    setBusy(keep)
    const answer = await call('/git/solve-conflict', {
      data: { ...gitFolderParams(folder), file, keep, ...(keep === 'text' && { text: wanted() }) },
    })
    setBusy(null)
    if (answer.success || answer.status === 404) onSolved()
  }

  const why = !isFile
    ? 'This is a symbolic link or a submodule, not a text file. Keep one of the two versions.'
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
      {sides?.ours.kind === 'text' && sides.theirs.kind === 'text' && (
        <div className={styles.edit} role="group" aria-label="Differences">
          <Text size="xs" c="dimmed" mb={6}>
            Differences: red lines are only in ours, green lines are only in theirs.
          </Text>
          <Suspense fallback={null}>
            <TextDiff name={file} before={sides.ours.text} after={sides.theirs.text} compact />
          </Suspense>
        </div>
      )}
      <div className={styles.edit}>
        {edited === null ? (
          <ButtonWithDisabledReason
            variant="default"
            size="xs"
            reason={why}
            onClick={() => first !== null && setEdited(first.replaceAll('\r\n', '\n'))}
          >
            Edit text
          </ButtonWithDisabledReason>
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
  of: string
  side: ConflictSideContent | null
  kind: MergeConflict['ours']
  busy: boolean
  onKeep: () => void
}

function SideView({ title, of, side, kind, busy, onKeep }: SideViewProps) {
  const text = sideLabel(kind, side)
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
      {text !== null ? (
        <Badge variant="default" className={styles.kind}>
          {text}
        </Badge>
      ) : (
        // Focusable, because the keyboard can scroll only an element that can have the focus.
        <pre className={styles.content} tabIndex={0} aria-label={`Text of ${title.toLowerCase()}`}>
          {side?.kind === 'text' ? side.text : ''}
        </pre>
      )}
    </div>
  )
}

/** Returns a label for a side of the conflict that is not text. Null for a text, and for a file that is not loaded. */
function sideLabel(kind: MergeConflict['ours'], side: ConflictSideContent | null): string | null {
  if (kind === 'deleted') return 'deleted'
  if (kind === 'link') return 'symbolic link'
  if (kind === 'repository') return 'submodule'
  if (side?.kind === 'binary') return 'binary'
  return side?.kind === 'large' ? 'too large to show' : null
}
