import { reportSignedOut } from '~/signed_out'
import { networkErrorAnswer, UNREADABLE_RESPONSE_MESSAGE, xsrfToken } from '~/api_call'
import { canResumeUploads, ResumableUpload } from './resumable_upload'
import { type FileManagerArea, uploadHref, uploadManyHref } from './paths_and_links'

/**
 * State of an upload. `taken`: a file of this name exists, and the person must decide.
 * `interrupted`: the upload continues automatically after a few seconds.
 */
export type UploadState =
  | 'waiting'
  | 'taken'
  | 'sending'
  | 'interrupted'
  | 'done'
  | 'failed'
  | 'cancelled'

export interface Upload {
  id: number
  /** Number of the batch: files that a person dropped or selected at once have the same number. */
  batch: number
  file: File
  /** The target folder, relative to the web root. */
  folder: string
  instance: number
  area?: FileManagerArea
  overwrite: boolean
  replacesExisting: boolean
  /**
   * Limits of one request that sends several small files: number of files and total bytes. `null` if this file is sent
   * alone, because it is large, replaces a file, or was in a rejected request with several files.
   */
  together: { files: number; total: number } | null
  /** Whether the file is sent in parts and resumes after a lost connection. */
  isResumable: boolean
  state: UploadState
  /** Bytes sent so far. */
  sent: number
  message: string
}

export const unfinishedUploadStates: UploadState[] = ['waiting', 'sending', 'interrupted']

const MAX_CONCURRENT_UPLOADS = 2

/**
 * HTTP statuses with which the server may reject a request because of one of its files. The files are then sent again
 * one by one.
 */
const SINGLE_FILE_STATUSES = [409, 413, 422]

/** The queue is outside the pages, because uploads continue while people change folders. */
class UploadQueue {
  #all: Upload[] = []
  #next = 1
  #lastBatch = 0
  #requests = new Map<number, { abort: () => void }>()
  /** Large uploads that may have bytes on the server, including failed ones. */
  #resumable = new Map<number, ResumableUpload>()
  #watchers = new Set<() => void>()
  #arrived = new Set<(upload: Upload) => void>()

  readonly all = () => this.#all

  readonly watch = (watcher: () => void) => {
    this.#watchers.add(watcher)
    return () => void this.#watchers.delete(watcher)
  }

  /** Calls `callback` once for each request whose files the server has stored. */
  readonly onArrival = (callback: (upload: Upload) => void) => {
    this.#arrived.add(callback)
    return () => void this.#arrived.delete(callback)
  }

  newBatch(): number {
    return ++this.#lastBatch
  }

  /** `taken` contains the names that exist in the folder. */
  add(
    files: File[],
    to: Pick<Upload, 'batch' | 'folder' | 'instance' | 'area'> & {
      limit: number
      together: { bytes: number; files: number; total: number }
      /** Size in bytes above which files are sent in parts. */
      resumableAbove: number
      taken: Set<string>
    }
  ) {
    const added = files.map((file) => {
      const tooLarge = file.size > to.limit
      const state = tooLarge ? 'failed' : to.taken.has(file.name) ? 'taken' : 'waiting'
      const message = tooLarge ? 'Files up to 500MB can be uploaded. This one is larger.' : ''
      const { batch, folder, instance, area } = to
      const together = file.size > to.together.bytes ? null : to.together
      const upload = { id: this.#next++, batch, file, folder, instance, area, state } as const
      const isResumable = file.size > to.resumableAbove && canResumeUploads()
      return {
        ...upload,
        message,
        together,
        isResumable,
        overwrite: false,
        replacesExisting: false,
        sent: 0,
      }
    })
    this.#all = [...this.#all, ...added]
    this.#go()
  }

  replace(id: number) {
    this.#change([id], replaceExisting)
    this.#go()
  }

  /**
   * Replaces existing files of a batch. Also applies to files of the batch that the server reports as existing later.
   */
  replaceAll(batch: number) {
    this.#change(this.#unfinished(batch), ({ state }) =>
      state === 'taken' ? replaceExisting : { replacesExisting: true }
    )
    this.#go()
  }

  skip(id: number) {
    this.#change([id], { state: 'cancelled', message: 'Skipped. The existing file is unchanged.' })
    this.#resumable.get(id)?.abort()
  }

  /** Cancels the files of a batch that have not arrived yet. */
  stop(batch: number) {
    const ids = this.#unfinished(batch)
    const requests = new Set(ids.flatMap((id) => [this.#requests.get(id), this.#resumable.get(id)]))
    this.#change(ids, { state: 'cancelled', message: 'Upload cancelled.' })
    for (const request of requests) request?.abort()
    this.#go()
  }

  retry(id: number) {
    this.#change([id], { state: 'waiting', sent: 0, message: '' })
    this.#go()
  }

  cancel(id: number) {
    this.#change([id], { state: 'cancelled', message: 'Upload cancelled.' })
    this.#requests.get(id)?.abort()
    this.#resumable.get(id)?.abort()
    this.#go()
  }

  continueNow(id: number) {
    this.#resumable.get(id)?.continueNow()
  }

  /**
   * Removes all uploads that are neither waiting nor running from the list, including those that await a decision. Also
   * removes the bytes of failed ones from the server.
   */
  clear() {
    const isRunning = ({ state }: Upload) => unfinishedUploadStates.includes(state)
    for (const { id } of this.#all.filter((upload) => !isRunning(upload)))
      this.#resumable.get(id)?.abort()
    this.#all = this.#all.filter(isRunning)
    this.#notify()
  }

  #go() {
    while (new Set(this.#requests.values()).size < MAX_CONCURRENT_UPLOADS) {
      const waiting = this.#listSendable()
      if (waiting.length === 0) break
      const files = filesOfNextRequest(waiting)
      if (files[0].isResumable) void this.#sendInParts(files[0])
      else this.#send(files)
    }
    this.#notify()
  }

  /**
   * Excludes a large file while another upload sends one to the same target, because the second attempt would take over
   * the first one's connection.
   */
  #listSendable(): Upload[] {
    const open = this.#all.filter(({ id, isResumable }) => isResumable && this.#requests.has(id))
    const targets = new Set(open.map(targetOf))
    const isBlocked = (upload: Upload) => upload.isResumable && targets.has(targetOf(upload))
    return this.#all.filter((upload) => upload.state === 'waiting' && !isBlocked(upload))
  }

  async #sendInParts(upload: Upload) {
    const { id } = upload
    // The new attempt uses the bytes of an earlier attempt. Removing the earlier attempt from the list must no longer
    // delete these bytes.
    const earlier = this.#all.filter((each) => targetOf(each) === targetOf(upload))
    for (const each of earlier) this.#resumable.delete(each.id)
    const resumable = new ResumableUpload(upload, (change) => this.#change([id], change))
    this.#resumable.set(id, resumable)
    this.#requests.set(id, resumable)
    this.#change([id], { state: 'sending' })
    await resumable.run()
    this.#requests.delete(id)
    const arrived = this.#all.find((each) => each.id === id && each.state === 'done')
    if (arrived) {
      this.#resumable.delete(id)
      for (const callback of this.#arrived) callback(arrived)
    }
    this.#change([id], ({ state, replacesExisting }) =>
      state === 'taken' && replacesExisting ? replaceExisting : {}
    )
    this.#go()
  }

  /** Sends these files in one request. The server stores either all of them or none. */
  #send(group: Upload[]) {
    const [first] = group
    const { folder, instance, area, overwrite } = first
    const ids = group.map(({ id }) => id)
    const isOne = group.length === 1
    const form = new FormData()
    form.append('path', folder)
    for (const { file } of group) form.append(isOne ? 'file' : encodeURIComponent(file.name), file)
    const request = new XMLHttpRequest()
    for (const id of ids) this.#requests.set(id, request)
    this.#change(ids, { state: 'sending' })
    const over = (change: UploadChange) => {
      for (const id of ids) this.#requests.delete(id)
      this.#change(this.#sending(ids), change)
      this.#go()
    }
    request.upload.onprogress = ({ loaded }) => {
      let left = loaded
      this.#change(this.#sending(ids), ({ file }) => {
        const sent = Math.min(left, file.size)
        left -= sent
        return { sent }
      })
    }
    request.onerror = () => over({ state: 'failed', message: networkErrorAnswer.message })
    // When one file is cancelled, the request is aborted, and its other files are sent again.
    request.onabort = () => over({ state: 'waiting', sent: 0 })
    request.onload = () => {
      const answer = parseAnswer(request.status, request.responseText)
      if (!isOne && SINGLE_FILE_STATUSES.includes(request.status)) {
        return over({ state: 'waiting', together: null, sent: 0 })
      }
      // Asks the person only if `overwrite` was not set. With it, this code means that a folder has the name, which a
      // file cannot replace.
      if (request.status === 409 && answer.code === 'exists' && !overwrite) {
        return over(({ replacesExisting }) =>
          replacesExisting ? replaceExisting : { state: 'taken', message: '' }
        )
      }
      if (request.status === 401) reportSignedOut()
      if (request.status >= 400 || !answer.isReadable)
        return over({ state: 'failed', message: answer.message })
      over(({ file }) => ({ state: 'done', sent: file.size, message: overwrite ? 'Replaced' : '' }))
      for (const callback of this.#arrived) callback(first)
    }
    const query = { path: folder, server_instance_id: instance }
    const address = isOne
      ? uploadHref({ ...query, name: first.file.name, overwrite: overwrite ? 1 : null }, area)
      : uploadManyHref({ ...query, path: folder || '/' }, area)
    request.open('POST', address)
    request.setRequestHeader('Accept', 'application/json')
    const token = xsrfToken()
    if (token) request.setRequestHeader('X-XSRF-TOKEN', token)
    request.send(form)
  }

  #unfinished(batch: number): number[] {
    const isUnfinished = ({ state }: Upload) =>
      state === 'taken' || unfinishedUploadStates.includes(state)
    return this.#all.filter((upload) => upload.batch === batch && isUnfinished(upload)).map(idOf)
  }

  #sending(ids: number[]): number[] {
    const known = new Set(ids)
    return this.#all.filter(({ id, state }) => state === 'sending' && known.has(id)).map(idOf)
  }

  #change(ids: number[], change: UploadChange) {
    const known = new Set(ids)
    const of = typeof change === 'function' ? change : () => change
    this.#all = this.#all.map((one) => (known.has(one.id) ? { ...one, ...of(one) } : one))
    this.#notify()
  }

  #notify() {
    for (const watcher of this.#watchers) watcher()
  }
}

type UploadChange = Partial<Upload> | ((upload: Upload) => Partial<Upload>)

const replaceExisting: Partial<Upload> = {
  state: 'waiting',
  overwrite: true,
  together: null,
  sent: 0,
  message: '',
}

const targetOf = ({ instance, folder, file }: Upload) =>
  JSON.stringify([instance, folder, file.name])

const idOf = ({ id }: Upload) => id

function filesOfNextRequest([first, ...others]: Upload[]): Upload[] {
  const group = [first]
  if (!first.together) return group
  const { files, total } = first.together
  let size = first.file.size
  for (const other of others) {
    const isAlike =
      other.together &&
      other.folder === first.folder &&
      other.instance === first.instance &&
      other.area === first.area
    if (!isAlike) continue
    size += other.file.size
    if (group.length === files || size > total) break
    group.push(other)
  }
  return group
}

/** `isReadable`: whether Berth sent the response. Otherwise a proxy may have sent it, even with status 200. */
function parseAnswer(status: number, text: string) {
  const fallback =
    status < 400 ? UNREADABLE_RESPONSE_MESSAGE : 'The upload failed. Try again in a moment.'
  try {
    const body = JSON.parse(text) as { message?: unknown; code?: string } | null
    if (typeof body === 'object' && body !== null) {
      const message = typeof body.message === 'string' ? body.message : fallback
      return { isReadable: true, message, code: body.code }
    }
  } catch {
    // Not JSON.
  }
  return { isReadable: false, message: fallback, code: undefined }
}

export const uploadQueue = new UploadQueue()
