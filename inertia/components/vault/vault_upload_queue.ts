import { call, networkErrorAnswer, UNREADABLE_RESPONSE_MESSAGE } from '~/api_call'
import type { Upload as AnyUpload } from '~/components/file_manager/upload_queue'

export interface Upload extends Pick<
  AnyUpload,
  'id' | 'file' | 'overwrite' | 'state' | 'sent' | 'message'
> {
  vault: number
  folder: string
}

const MAX_CONCURRENT_UPLOADS = 3

/** The queue is outside the pages, because uploads continue while people change folders. */
export class VaultUploadQueue {
  #all: Upload[] = []
  #next = 1
  #cancels = new Map<number, () => void>()
  #watchers = new Set<() => void>()
  #arrived = new Set<(upload: Upload) => void>()

  readonly all = () => this.#all

  readonly watch = (watcher: () => void) => {
    this.#watchers.add(watcher)
    return () => void this.#watchers.delete(watcher)
  }

  /** Calls `callback` after each file that has been stored. */
  readonly onArrival = (callback: (upload: Upload) => void) => {
    this.#arrived.add(callback)
    return () => void this.#arrived.delete(callback)
  }

  add(files: { file: File; folder: string }[], { vault, limit }: { vault: number; limit: number }) {
    for (const { file, folder } of files) {
      const isTooLarge = file.size > limit
      const upload = { id: this.#next++, file, folder, vault, overwrite: false, sent: 0 }
      const message = isTooLarge ? 'Files up to 500MB can be uploaded. This one is larger.' : ''
      this.#all = [...this.#all, { ...upload, state: isTooLarge ? 'failed' : 'waiting', message }]
    }
    this.#go()
  }

  readonly replace = (id: number) => {
    this.#change(id, { state: 'waiting', overwrite: true, sent: 0, message: '' })
    this.#go()
  }

  readonly retry = (id: number) => {
    this.#change(id, { state: 'waiting', sent: 0, message: '' })
    this.#go()
  }

  readonly cancel = (id: number) => {
    this.#change(id, { state: 'cancelled', message: 'Upload cancelled.' })
    this.#cancels.get(id)?.()
    this.#go()
  }

  readonly clear = () => {
    this.#all = this.#all.filter(({ state }) => state === 'waiting' || state === 'sending')
    this.#notify()
  }

  #go() {
    const free =
      MAX_CONCURRENT_UPLOADS - this.#all.filter(({ state }) => state === 'sending').length
    const next = this.#all.filter(({ state }) => state === 'waiting').slice(0, Math.max(free, 0))
    for (const upload of next) {
      this.#change(upload.id, { state: 'sending' })
      void this.#send(upload)
    }
    this.#notify()
  }

  async #send(upload: Upload) {
    const { id, file } = upload
    const leaving = new AbortController()
    this.#cancels.set(id, () => leaving.abort())
    const change = await uploadFile(upload, leaving.signal, (sent) => this.#change(id, { sent }))
    this.#cancels.delete(id)
    if (leaving.signal.aborted) return
    this.#change(id, { ...change, ...(change.state === 'done' && { sent: file.size }) })
    if (change.state === 'done') for (const callback of this.#arrived) callback(upload)
    this.#go()
  }

  #change(id: number, change: Partial<Upload>) {
    this.#all = this.#all.map((one) => (one.id === id ? { ...one, ...change } : one))
    this.#notify()
  }

  #notify() {
    for (const watcher of this.#watchers) watcher()
  }
}

/** Sends the file directly to the vault's object storage. */
async function uploadFile(
  { vault, folder, file, overwrite }: Upload,
  signal: AbortSignal,
  onSent: (bytes: number) => void
): Promise<Pick<Upload, 'state' | 'message'>> {
  const { name, size } = file
  const upload = await call<{ url: string }>('/vault/object/upload', {
    data: { vault_id: vault, path: folder, name, size, overwrite },
    toasts: 'none',
    signal,
  })
  if (upload.code === 'exists') return { state: 'taken', message: '' }
  if (!upload.data) return { state: 'failed', message: upload.message }
  return putFile(upload.data.url, file, signal, onSent)
}

function putFile(
  url: string,
  file: File,
  signal: AbortSignal,
  onSent: (bytes: number) => void
): Promise<Pick<Upload, 'state' | 'message'>> {
  return new Promise((over) => {
    const request = new XMLHttpRequest()
    signal.addEventListener('abort', () => request.abort())
    request.upload.onprogress = ({ loaded }) => onSent(Math.min(loaded, file.size))
    request.onabort = () => over({ state: 'cancelled', message: '' })
    request.onerror = () => over({ state: 'failed', message: networkErrorAnswer.message })
    request.onload = () => {
      const message = readMessage(request.responseText)
      const isDone = request.status >= 200 && request.status < 300 && message !== null
      over(
        isDone
          ? { state: 'done', message: '' }
          : { state: 'failed', message: message ?? fallbackMessage(request.status) }
      )
    }
    request.open('PUT', url)
    request.setRequestHeader('Content-Type', file.type || 'application/octet-stream')
    if (signal.aborted) request.abort()
    else request.send(file)
  })
}

/** Returns the message of the vault service. Null if a proxy may have sent the response. */
function readMessage(text: string): string | null {
  try {
    const body = JSON.parse(text) as { message?: unknown } | null
    return typeof body?.message === 'string' ? body.message : null
  } catch {
    return null
  }
}

function fallbackMessage(status: number): string {
  return status < 400 ? UNREADABLE_RESPONSE_MESSAGE : 'The upload failed. Try again in a moment.'
}

export const vaultUploadQueue = new VaultUploadQueue()
