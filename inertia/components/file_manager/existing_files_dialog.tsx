import { useState, useSyncExternalStore } from 'react'
import { Button, Group, Text } from '@mantine/core'
import { Dialog } from '@ui/dialog'
import { uploadQueue, type Upload } from './upload_queue'

interface ExistingFilesDialogProps {
  name: string
  /** Existing files that have no decision yet, with this one. */
  count: number
  onSkip: () => void
  onReplace: () => void
  onReplaceAll: () => void
  onStop: () => void
  onClose: () => void
}

/** Asks about one existing file at a time. */
function ExistingFilesDialog({ name, count, onClose, ...on }: ExistingFilesDialogProps) {
  return (
    <Dialog opened onClose={onClose} title="Replace existing files?">
      <Text style={{ overflowWrap: 'anywhere' }}>“{name}” already exists.</Text>
      {count > 1 && (
        <Text size="sm" mt="xs">
          {count.toLocaleString('en')} files already exist.
        </Text>
      )}
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={on.onStop}>
          Stop
        </Button>
        <Button variant="default" data-autofocus onClick={on.onSkip}>
          Skip
        </Button>
        {count > 1 && (
          <Button variant="default" onClick={on.onReplaceAll}>
            Replace all
          </Button>
        )}
        <Button onClick={on.onReplace}>Replace</Button>
      </Group>
    </Dialog>
  )
}

const noUploads: Upload[] = []

/** After it is closed, the list of uploads still offers to replace each file. */
export function ExistingUploadsDialog() {
  const all = useSyncExternalStore(uploadQueue.watch, uploadQueue.all, () => noUploads)
  const [lastDismissedId, setLastDismissedId] = useState(0)
  const taken = all.filter(({ id, state }) => state === 'taken' && id > lastDismissedId)
  if (taken.length === 0) return null
  const [{ id, file }] = taken
  return (
    <ExistingFilesDialog
      name={file.name}
      count={taken.length}
      onSkip={() => uploadQueue.skip(id)}
      onReplace={() => uploadQueue.replace(id)}
      onReplaceAll={() => uploadQueue.replaceAll()}
      onStop={() => uploadQueue.stop()}
      onClose={() => setLastDismissedId(Math.max(...taken.map((upload) => upload.id)))}
    />
  )
}

export interface ExistingFilesDecision {
  existing: 'skip' | 'replace'
  /** Paths that get the other action. */
  exceptions: string[]
}

interface ExistingUnzipDialogProps {
  /** `names` may be the first part of all. */
  existing: { count: number; names: string[] }
  onDecision: (decision: ExistingFilesDecision) => void
  onStop: () => void
}

/** Needs its own `key` for each archive. */
export function ExistingUnzipDialog({ existing, onDecision, onStop }: ExistingUnzipDialogProps) {
  const { count, names } = existing
  const [at, setAt] = useState(0)
  const [replaced, setReplaced] = useState<string[]>([])
  const decide = (replaces: boolean) => {
    const next = replaces ? [...replaced, names[at]] : replaced
    if (at + 1 === names.length) return onDecision({ existing: 'skip', exceptions: next })
    setReplaced(next)
    setAt(at + 1)
  }
  const replaceAll = () => {
    const replacedNames = new Set(replaced)
    const exceptions = names.slice(0, at).filter((name) => !replacedNames.has(name))
    onDecision({ existing: 'replace', exceptions })
  }
  return (
    <ExistingFilesDialog
      name={names[at]}
      count={count - at}
      onSkip={() => decide(false)}
      onReplace={() => decide(true)}
      onReplaceAll={replaceAll}
      onStop={onStop}
      onClose={onStop}
    />
  )
}
