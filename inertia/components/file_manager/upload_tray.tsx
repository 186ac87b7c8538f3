import { useEffect, useSyncExternalStore } from 'react'
import { Button, Progress } from '@mantine/core'
import { formatSize } from './format_size'
import { unfinishedUploadStates, uploadQueue, type Upload } from './upload_queue'
import styles from './upload_tray.module.css'

const stateLabels = {
  waiting: 'Waiting',
  taken: 'A file with this name already exists. Replace it?',
  sending: '',
  interrupted: '',
  done: 'Uploaded',
  failed: '',
  cancelled: '',
}

type UploadItem = Pick<Upload, 'id' | 'file' | 'state' | 'sent' | 'message'>

interface UploadTrayQueue {
  all: () => readonly UploadItem[]
  watch: (watcher: () => void) => () => void
  replace: (id: number) => void
  retry: (id: number) => void
  cancel: (id: number) => void
  /** Retries an interrupted upload at once. Missing for queues whose uploads cannot resume. */
  continueNow?: (id: number) => void
  clear: () => void
}

const noUploads: UploadItem[] = []

export function UploadTray({ queue = uploadQueue }: { queue?: UploadTrayQueue }) {
  const all = useSyncExternalStore(queue.watch, queue.all, () => noUploads)
  const busy = all.filter(({ state }) => unfinishedUploadStates.includes(state)).length

  useEffect(() => {
    if (!busy) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [busy])

  if (all.length === 0) return null
  return (
    <section className={styles.tray} aria-label="Uploads">
      <header className={styles.head}>
        <h2>{busy ? `${busy} of ${all.length} uploads left` : 'Uploads'}</h2>
        {busy < all.length && (
          <Button size="compact-xs" variant="subtle" onClick={() => queue.clear()}>
            Clear
          </Button>
        )}
      </header>
      <ul className={styles.list} aria-live="polite">
        {all.map((upload) => (
          <UploadRow key={upload.id} upload={upload} queue={queue} />
        ))}
      </ul>
    </section>
  )
}

function UploadRow({ upload, queue }: { upload: UploadItem; queue: UploadTrayQueue }) {
  const { id, file, state, sent, message } = upload
  const share = file.size ? Math.round((sent / file.size) * 100) : 100
  const over = state === 'done' || state === 'cancelled'
  return (
    <li className={styles.line} data-state={state}>
      <div className={styles.name} title={file.name}>
        {file.name}
      </div>
      <div className={styles.more}>
        {state === 'sending'
          ? `${formatSize(sent)} of ${formatSize(file.size)}${message && `. ${message}`}`
          : message || stateLabels[state]}
      </div>
      {(state === 'sending' || state === 'interrupted') && (
        <Progress
          className={styles.bar}
          size="xs"
          value={share}
          aria-label={`${file.name}: ${share} %`}
        />
      )}
      <div className={styles.buttons}>
        {state === 'taken' && (
          <Button size="compact-xs" onClick={() => queue.replace(id)}>
            Replace
          </Button>
        )}
        {state === 'interrupted' && (
          <Button size="compact-xs" onClick={() => queue.continueNow?.(id)}>
            Continue now
          </Button>
        )}
        {state === 'failed' && file.size <= 500 * 1024 * 1024 && (
          <Button size="compact-xs" variant="default" onClick={() => queue.retry(id)}>
            Try again
          </Button>
        )}
        {!over && state !== 'failed' && (
          <Button
            size="compact-xs"
            variant="default"
            aria-label={`Cancel ${file.name}`}
            onClick={() => queue.cancel(id)}
          >
            Cancel
          </Button>
        )}
      </div>
    </li>
  )
}
