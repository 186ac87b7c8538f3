import { useState, useSyncExternalStore } from 'react'
import { Button, Group, Text } from '@mantine/core'
import { Dialog } from '@ui/dialog'
import { countWithNoun } from '../../../packages/text/count_with_noun'
import { decodeDisplayName } from './paths_and_links'
import { uploadQueue, type Upload } from './upload_queue'

interface ExistingFilesDialogProps {
  question: string
  hint?: string
  /** Adds the button "Skip", for a question about a single file. */
  onSkip?: () => void
  onReplace?: () => void
  onSkipAll?: () => void
  onReplaceAll?: () => void
  onStop: () => void
  onClose: () => void
}

/** Asks whether to replace existing files. Each optional function adds a button. */
function ExistingFilesDialog({ question, hint, onClose, ...on }: ExistingFilesDialogProps) {
  return (
    <Dialog opened onClose={onClose} title="Replace existing files?">
      <Text style={{ overflowWrap: 'anywhere' }}>{question}</Text>
      {hint !== undefined && (
        <Text size="sm" mt="xs">
          {hint}
        </Text>
      )}
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={on.onStop}>
          Stop
        </Button>
        {on.onSkip && (
          <Button variant="default" data-autofocus onClick={on.onSkip}>
            Skip
          </Button>
        )}
        {on.onSkipAll && (
          <Button variant="default" data-autofocus onClick={on.onSkipAll}>
            Skip all
          </Button>
        )}
        {on.onReplaceAll && (
          <Button variant="default" onClick={on.onReplaceAll}>
            Replace all
          </Button>
        )}
        {on.onReplace && <Button onClick={on.onReplace}>Replace</Button>}
      </Group>
    </Dialog>
  )
}

const noUploads: Upload[] = []

interface ExistingUploadsDialogProps {
  serverInstances: { id: number; name: string }[]
}

/**
 * Asks about one existing file at a time while files are uploaded. After the dialog is closed, the list of uploads
 * still offers to replace each file.
 */
export function ExistingUploadsDialog({ serverInstances }: ExistingUploadsDialogProps) {
  const all = useSyncExternalStore(uploadQueue.watch, uploadQueue.all, () => noUploads)
  const [dismissed, setDismissed] = useState<number[]>([])
  const first = all.find(({ batch, state }) => state === 'taken' && !dismissed.includes(batch))
  if (!first) return null
  const { id, batch, file, folder, instance } = first
  const files = all.filter((upload) => upload.batch === batch)
  const count = files.filter(({ state }) => state === 'taken').length
  const instanceName = serverInstances.find((each) => each.id === instance)?.name
  const onInstance = instanceName === undefined ? '' : ` on ${instanceName}`
  return (
    <ExistingFilesDialog
      question={`“${file.name}” already exists in /${displayPath(folder)}${onInstance}.`}
      hint={files.length > 1 ? uploadHint(count, files.length) : undefined}
      onSkip={() => uploadQueue.skip(id)}
      onReplace={() => uploadQueue.replace(id)}
      onReplaceAll={count > 1 ? () => uploadQueue.replaceAll(batch) : undefined}
      onStop={() => uploadQueue.stop(batch)}
      onClose={() => setDismissed([...dismissed, batch])}
    />
  )
}

function uploadHint(count: number, total: number): string {
  const buttons = count > 1 ? '“Replace all” and “Stop” apply' : '“Stop” applies'
  const exist = count === 1 ? 'already exists' : 'already exist'
  return `${count.toLocaleString('en')} of the ${countWithNoun(total, 'file')} in this upload ${exist}. ${buttons} only to this upload.`
}

export interface ExistingFilesDecision {
  existing: 'skip' | 'replace'
  /** Paths for which the decision is the opposite of `existing`. Encoded as in requests. */
  exceptions: string[]
}

interface ExistingUnzipDialogProps {
  /**
   * Files of the archive that already exist. `count` is their number. `names` are their paths, encoded as in requests;
   * the list may be incomplete.
   */
  existing: { count: number; names: string[] }
  onDecision: (decision: ExistingFilesDecision) => void
  onStop: () => void
}

/** Asks about each listed file, then once about all others. Render it with a different `key` for each archive. */
export function ExistingUnzipDialog({ existing, onDecision, onStop }: ExistingUnzipDialogProps) {
  const { count, names } = existing
  const [replaces, setReplaces] = useState<boolean[]>([])
  const at = replaces.length
  const decideRest = (action: 'skip' | 'replace', answers = replaces) => {
    const exceptions = names.filter(
      (_, index) => index < answers.length && answers[index] !== (action === 'replace')
    )
    onDecision({ existing: action, exceptions })
  }
  const decide = (answer: boolean) => {
    const answers = [...replaces, answer]
    if (answers.length === count) decideRest('skip', answers)
    else setReplaces(answers)
  }
  const left = count - at
  if (at >= names.length) {
    return (
      <ExistingFilesDialog
        question={`${countWithNoun(left, 'more file')} already ${left === 1 ? 'exists' : 'exist'}.`}
        hint={`Berth lists at most ${names.length.toLocaleString('en')} existing files, so you decide about the others at once.`}
        onSkipAll={() => decideRest('skip')}
        onReplaceAll={() => decideRest('replace')}
        onStop={onStop}
        onClose={onStop}
      />
    )
  }
  return (
    <ExistingFilesDialog
      question={`“${displayPath(names[at])}” already exists.`}
      hint={left > 1 ? `${left.toLocaleString('en')} files already exist.` : undefined}
      onSkip={() => decide(false)}
      onReplace={() => decide(true)}
      onReplaceAll={left > 1 ? () => decideRest('replace') : undefined}
      onStop={onStop}
      onClose={onStop}
    />
  )
}

function displayPath(path: string): string {
  return path.split('/').map(decodeDisplayName).join('/')
}
