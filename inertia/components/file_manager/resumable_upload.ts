import { xsrfToken } from '~/api_call'
import { reportSignedOut } from '~/signed_out'
import { waitForConnection } from './connection_retry'
import { sha256, tabId } from './file_digests'
import { type ResumableUploadCall, resumableUploadHref } from './paths_and_links'
import type { Upload } from './upload_queue'

const HEAD_BYTES = 1024 ** 2
/** Size of the pieces that are hashed. The server must use the same size (`is_content` in `file_manager.sh`). */
const PIECE_BYTES = 16 * 1024 ** 2
const RETRY_DELAYS_S = [1, 2, 5, 10, 30]
const MAX_SERVER_ERRORS = 5
/** After this time without progress, a connection counts as lost. The browser itself may not notice the loss. */
const STALL_TIMEOUT_MS = 30_000
/**
 * Timeout of responses after a request's body was sent. It is long, because the instance stores and hashes the file
 * before it responds.
 */
const RESPONSE_TIMEOUT_MS = 180_000

const CONNECTION_LOST = 'Connection lost.'
const UNREADABLE =
  'The browser cannot read this file any more. It may have changed on your computer. Choose it again.'
const CHANGED = 'The file has changed since the interrupted upload, so it started again.'

/** A response of the server. `status` 0: the connection was lost before a response. */
interface Answer {
  status: number
  code?: string
  message: string
  data?: { progress?: Progress }
}

interface Progress {
  offset: number
  /** Whether the server has bytes of another version of the file. */
  hasOtherVersion: boolean
}

export type ResumableChange = Partial<Pick<Upload, 'state' | 'sent' | 'message'>>

/** Result of an attempt: the final state of the upload, or the response after which it must be retried. */
type Attempt = { over: ResumableChange } | { retry: Answer }

/**
 * Returns whether uploads can resume. They need `crypto.subtle`, which browsers have only on pages from HTTPS or
 * localhost.
 */
export const canResumeUploads = () => typeof crypto !== 'undefined' && crypto.subtle !== undefined

/**
 * Sends a large file in parts. The upload resumes after a lost connection, and when the person chooses the file again
 * after a reload of the page. The server finds the earlier bytes by the file's name, size, time and first MiB.
 */
export class ResumableUpload {
  readonly #upload: Upload
  readonly #change: (change: ResumableChange) => void
  readonly #aborted = new AbortController()
  readonly #pieceHashes: string[] = []
  #head = ''
  /** Whether the server may have bytes of this upload. */
  #hasBegun = false
  #note = ''
  /** Number of attempts in a row without progress. The delay before the next attempt grows with it. */
  #failures = 0
  /** Number of attempts in a row without progress in which the server responded with an error. */
  #serverErrors = 0
  /** Whether only `finish-upload` must be retried, because the server has every byte. */
  #isComplete = false
  #waiting: { now: () => void } | null = null

  /** @param change called with each new state, but never after `abort` */
  constructor(upload: Upload, change: (change: ResumableChange) => void) {
    this.#upload = upload
    this.#change = (next) => {
      if (!this.#aborted.signal.aborted) change(next)
    }
  }

  /** Resolves when the upload is done, has failed, was aborted, or needs a decision (`taken`). */
  async run(): Promise<void> {
    for (;;) {
      const attempt = await this.#attempt().catch((): Attempt => {
        return { over: { state: 'failed', message: UNREADABLE } }
      })
      if (this.#aborted.signal.aborted) return
      if ('over' in attempt) return this.#change(attempt.over)
      const { status, message } = attempt.retry
      // After a lost connection, retries go on, because it may come back at any time. After repeated server errors, a
      // person must decide.
      if (status !== 0) this.#serverErrors += 1
      if (this.#serverErrors > MAX_SERVER_ERRORS) return this.#change({ state: 'failed', message })
      await this.#wait(RETRY_DELAYS_S[Math.min(this.#failures, RETRY_DELAYS_S.length - 1)], message)
      this.#failures += 1
      if (this.#aborted.signal.aborted) return
    }
  }

  /** Retries immediately instead of waiting further after a lost connection. */
  continueNow() {
    this.#waiting?.now()
  }

  /**
   * Aborts the upload and deletes the bytes that arrived. If the deletion fails, the server deletes them after a day.
   */
  abort() {
    if (this.#aborted.signal.aborted) return
    this.#aborted.abort()
    this.#waiting?.now()
    if (this.#hasBegun) void this.#send('POST', 'discard-upload')
  }

  async #attempt(): Promise<Attempt> {
    const { file } = this.#upload
    this.#head ||= await sha256(await file.slice(0, HEAD_BYTES).arrayBuffer())
    this.#change({ state: 'sending', message: this.#note })
    if (this.#isComplete) return this.#finish()
    const answer = await this.#send('POST', 'resume-upload')
    const progress = answer.data?.progress
    if (!progress) return this.#outcomeOf(answer)
    this.#begin(progress)
    for (let { offset } = progress; offset < file.size;) {
      const start = offset - (offset % PIECE_BYTES)
      const bytes = await this.#readPiece(start)
      const end = start + bytes.byteLength
      const body = bytes.slice(offset - start)
      const sent = await this.#send('PATCH', 'upload-part', {
        query: { offset, end },
        body,
        offset,
      })
      if (this.#aborted.signal.aborted || sent.status !== 200) return this.#outcomeOf(sent)
      this.#failures = 0
      this.#serverErrors = 0
      offset = end
      this.#change({ sent: offset })
    }
    return this.#finish()
  }

  async #finish(): Promise<Attempt> {
    const { file, overwrite } = this.#upload
    for (let start = 0; start < file.size; start += PIECE_BYTES)
      if (!this.#pieceHashes[start / PIECE_BYTES]) await this.#readPiece(start)
    const list = this.#pieceHashes.map((each) => `${each}  -\n`).join('')
    const body = JSON.stringify({ hash: await sha256(new TextEncoder().encode(list)) })
    const answer = await this.#send('POST', 'finish-upload', { body })
    // If the response was lost or an earlier call is still running, the file may already be in place. Then the retry
    // calls only `finish-upload`, because `resume-upload` would report that the name is taken.
    const { status } = answer
    this.#isComplete = status === 0 || status === 423 || status >= 500
    if (answer.status !== 201) return this.#outcomeOf(answer)
    const message = this.#note || (overwrite ? 'Replaced' : '')
    return { over: { state: 'done', sent: file.size, message } }
  }

  #begin({ offset, hasOtherVersion }: Progress) {
    this.#hasBegun = true
    if (hasOtherVersion && offset === 0) this.#note = CHANGED
    this.#change({ state: 'sending', sent: offset, message: this.#note })
  }

  #outcomeOf(answer: Answer): Attempt {
    const { status, code, message } = answer
    if (status === 409 && code === 'exists' && !this.#upload.overwrite)
      return { over: { state: 'taken', message: '' } }
    // Another tab has taken over the upload, so this one must not delete its bytes.
    if (code === 'busy') this.#hasBegun = false
    const isTemporary = [0, 408, 423, 429].includes(status) || (status >= 500 && status !== 507)
    if (isTemporary) return { retry: answer }
    if (code === 'wrong_offset' || code === 'cut_off')
      return { retry: { status: 0, message: CONNECTION_LOST } }
    if (status === 401) reportSignedOut()
    return { over: { state: 'failed', message } }
  }

  /**
   * Reads a piece of the file and saves its hash.
   * @throws Error if the file has changed on the person's computer
   */
  async #readPiece(start: number): Promise<ArrayBuffer> {
    const { file } = this.#upload
    const bytes = await file.slice(start, start + PIECE_BYTES).arrayBuffer()
    this.#pieceHashes[start / PIECE_BYTES] = await sha256(bytes)
    return bytes
  }

  async #wait(seconds: number, message: string) {
    const waiting = waitForConnection(seconds, (left) =>
      this.#change({ state: 'interrupted', message: `${message} Continuing in ${left} s.` })
    )
    this.#waiting = waiting
    await waiting.over
    this.#waiting = null
  }

  #send(
    method: 'PATCH' | 'POST',
    call: ResumableUploadCall,
    more: { query?: Record<string, number>; body?: ArrayBuffer | string; offset?: number } = {}
  ): Promise<Answer> {
    // The upload may have been aborted while a piece was read.
    if (this.#aborted.signal.aborted && call !== 'discard-upload')
      return Promise.resolve({ status: 0, message: CONNECTION_LOST })
    const { file, folder, instance, area, overwrite } = this.#upload
    const { query, body, offset } = more
    const href = resumableUploadHref(call, area, {
      path: folder,
      server_instance_id: instance,
      name: file.name,
      size: file.size,
      modified: file.lastModified,
      head: this.#head,
      tab: tabId(),
      overwrite: overwrite ? 1 : null,
      ...query,
    })
    const { promise, resolve } = Promise.withResolvers<Answer>()
    const request = new XMLHttpRequest()
    const lost = () => resolve({ status: 0, message: CONNECTION_LOST })
    const stop = () => request.abort()
    let timer = setTimeout(stop, STALL_TIMEOUT_MS)
    const within = (milliseconds: number) => {
      clearTimeout(timer)
      timer = setTimeout(stop, milliseconds)
    }
    request.upload.onprogress = ({ loaded }) => {
      within(STALL_TIMEOUT_MS)
      if (offset !== undefined) this.#change({ sent: offset + loaded })
    }
    request.upload.onload = () => within(RESPONSE_TIMEOUT_MS)
    request.onload = () => resolve(parseAnswer(request.status, request.responseText))
    request.onerror = lost
    request.onabort = lost
    request.open(method, href)
    request.setRequestHeader('Accept', 'application/json')
    const token = xsrfToken()
    if (token) request.setRequestHeader('X-XSRF-TOKEN', token)
    const type = typeof body === 'string' ? 'application/json' : 'application/octet-stream'
    if (body !== undefined) request.setRequestHeader('Content-Type', type)
    request.send(body ?? null)
    // `discard-upload` is sent after the abort, so the abort must not cancel it.
    const { signal } = this.#aborted
    if (!signal.aborted) signal.addEventListener('abort', stop, { once: true })
    return promise.finally(() => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
    })
  }
}

function parseAnswer(status: number, text: string): Answer {
  try {
    const answer = JSON.parse(text) as Partial<Answer>
    if (typeof answer.message === 'string')
      return { status, code: answer.code, message: answer.message, data: answer.data }
  } catch {
    // If the response is not JSON, a proxy may have sent it.
  }
  return { status, message: 'The server did not answer.' }
}
