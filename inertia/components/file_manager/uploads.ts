import { networkFailed, xsrfToken } from '~/call'
import { type FileArea, uploadHref } from './addresses'

/** waiting for its turn; taken: the name exists, somebody has to decide */
export type UploadState = 'waiting' | 'taken' | 'sending' | 'done' | 'failed' | 'cancelled'

export interface Upload {
  id: number
  file: File
  /** Where it goes, relative to the web root. */
  folder: string
  instance: number
  area?: FileArea
  overwrite: boolean
  state: UploadState
  /** Bytes that were sent. */
  sent: number
  message: string
}

/** How many are sent at once. */
const AT_ONCE = 2

/** Uploads go on while people move from folder to folder, so they live outside of pages. */
class Uploads {
  #all: Upload[] = []
  #next = 1
  #requests = new Map<number, XMLHttpRequest>()
  #watchers = new Set<() => void>()
  #arrived = new Set<(upload: Upload) => void>()

  readonly all = () => this.#all

  readonly watch = (watcher: () => void) => {
    this.#watchers.add(watcher)
    return () => void this.#watchers.delete(watcher)
  }

  /** Calls back for each file that has arrived. */
  readonly onArrival = (callback: (upload: Upload) => void) => {
    this.#arrived.add(callback)
    return () => void this.#arrived.delete(callback)
  }

  /** `taken`: names that are in the folder already. */
  add(
    files: File[],
    to: Pick<Upload, 'folder' | 'instance' | 'area'> & { limit: number; taken: Set<string> }
  ) {
    for (const file of files) {
      const tooLarge = file.size > to.limit
      const state = tooLarge ? 'failed' : to.taken.has(file.name) ? 'taken' : 'waiting'
      const message = tooLarge ? 'Files up to 500MB can be uploaded. This one is larger.' : ''
      const { folder, instance, area } = to
      const upload = { id: this.#next++, file, folder, instance, area, state, message } as const
      this.#all = [...this.#all, { ...upload, overwrite: false, sent: 0 }]
    }
    this.#go()
  }

  replace(id: number) {
    this.#change(id, { state: 'waiting', overwrite: true, sent: 0, message: '' })
    this.#go()
  }

  retry(id: number) {
    this.#change(id, { state: 'waiting', sent: 0, message: '' })
    this.#go()
  }

  cancel(id: number) {
    this.#change(id, { state: 'cancelled', message: 'Cancelled. Nothing was kept.' })
    this.#requests.get(id)?.abort()
    this.#go()
  }

  /** Takes away what is over. */
  clear() {
    this.#all = this.#all.filter(({ state }) => state === 'waiting' || state === 'sending')
    this.#tell()
  }

  #go() {
    const free = AT_ONCE - this.#all.filter(({ state }) => state === 'sending').length
    const next = this.#all.filter(({ state }) => state === 'waiting').slice(0, Math.max(free, 0))
    for (const upload of next) this.#send(upload)
    this.#tell()
  }

  #send(upload: Upload) {
    const { id, file, folder, instance, overwrite } = upload
    const form = new FormData()
    form.append('path', folder)
    form.append('file', file)
    const request = new XMLHttpRequest()
    this.#requests.set(id, request)
    this.#change(id, { state: 'sending' })
    const over = (change: Partial<Upload>) => {
      this.#requests.delete(id)
      if (this.#all.find((one) => one.id === id)?.state === 'sending') this.#change(id, change)
      this.#go()
    }
    request.upload.onprogress = ({ loaded }) =>
      this.#change(id, { sent: Math.min(loaded, file.size) })
    request.onerror = () => over({ state: 'failed', message: networkFailed.message })
    request.onabort = () => over({})
    request.onload = () => {
      const answer = read(request.responseText)
      if (request.status === 409 && answer.code === 'exists') {
        return over({ state: 'taken', message: '' })
      }
      if (request.status >= 400) return over({ state: 'failed', message: answer.message })
      over({ state: 'done', sent: file.size, message: '' })
      for (const callback of this.#arrived) callback(upload)
    }
    const query = { path: folder, name: file.name, server_instance_id: instance }
    request.open('POST', uploadHref({ ...query, overwrite: overwrite ? 1 : null }, upload.area))
    request.setRequestHeader('Accept', 'application/json')
    const token = xsrfToken()
    if (token) request.setRequestHeader('X-XSRF-TOKEN', token)
    request.send(form)
  }

  #change(id: number, change: Partial<Upload>) {
    this.#all = this.#all.map((one) => (one.id === id ? { ...one, ...change } : one))
    this.#tell()
  }

  #tell() {
    for (const watcher of this.#watchers) watcher()
  }
}

function read(text: string): { message: string; code?: string } {
  try {
    const { message, code } = JSON.parse(text) as { message?: unknown; code?: string }
    if (typeof message === 'string') return { message, code }
  } catch {
    // No answer of ours: something on the way said it.
  }
  return { message: 'The server could not take this file. Try again in a moment.' }
}

export const uploads = new Uploads()
