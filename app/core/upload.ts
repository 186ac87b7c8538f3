import { watchRequestBytes } from '#core/multipart_limits'
import type { AppError } from '#core/app_error'
import type { HttpContext } from '@adonisjs/core/http'
import type { IncomingMessage } from 'node:http'
import { addAbortListener } from 'node:events'
import { pipeline, Transform, type Readable } from 'node:stream'

const FORM_OVERHEAD_BYTES = 64 * 1024
const DRAIN_TIMEOUT_MS = 30_000
/** Without this timeout, a connection lost without notice would keep a file open on the instance. */
const IDLE_TIMEOUT_MS = 30_000

export interface UploadTarget<Stored> {
  /** Maximum bytes of one file. */
  limit: number
  tooLarge(): AppError
  cutOff(): AppError
  missing(): AppError
  /** Stores the bytes while they arrive. `filename` comes from the client, so it can contain anything. */
  keep(bytes: Readable, filename: string): Promise<Stored>
  discard(stored: Stored): Promise<void>
}

/** Returns a lower bound of the file's size, derived from Content-Length. Returns 0 without that header. */
export function declaredUploadBytes({ request }: Pick<HttpContext, 'request'>): number {
  return Math.max(0, Number(request.header('content-length') ?? 0) - FORM_OVERHEAD_BYTES)
}

/** Runs `work`. If it fails, discards the rest of the body (`discardBody`) and rethrows the error. */
export async function drainBodyOnError({ request }: HttpContext, work: () => Promise<void>) {
  try {
    await work()
  } catch (error) {
    discardBody(request.request)
    throw error
  }
}

export interface BodyStreamOptions extends Pick<
  UploadTarget<unknown>,
  'limit' | 'tooLarge' | 'cutOff'
> {
  /** If it is aborted, the stream ends with the error `cutOff`. */
  signal: AbortSignal
  onChunk(): void
}

/**
 * Returns the body of a request that is not a form. The stream fails above the limit, if the client disconnects,
 * and after 30 s without a byte. The request stays open for the response.
 */
export function streamBody(
  { request: { request } }: HttpContext,
  { limit, tooLarge, cutOff, signal, onChunk }: BodyStreamOptions
): Readable {
  let bytes = 0
  const content = new Transform({
    highWaterMark: 256 * 1024,
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      idle.refresh()
      onChunk()
      done(bytes > limit ? tooLarge() : null, chunk)
    },
  })
  const end = () => void content.destroy(cutOff())
  const idle = setTimeout(end, IDLE_TIMEOUT_MS).unref()
  // The stream may fail before the caller reads it. Without this listener, the process would crash. The caller
  // still receives the error.
  content.on('error', () => {})
  request.once('aborted', end)
  const abortListener = addAbortListener(signal, end)
  content.once('close', () => {
    clearTimeout(idle)
    request.off('aborted', end)
    abortListener[Symbol.dispose]()
  })
  // The client may already have disconnected.
  if (request.destroyed) end()
  // `pipeline` would destroy the request on an error, but the response needs it.
  return request.pipe(content)
}

/**
 * Streams the part `file` of a form, without a temporary file.
 * @throws if the form contains no file
 */
export async function receiveFile<Stored>(
  { request }: HttpContext,
  upload: UploadTarget<Stored>
): Promise<Stored> {
  const { multipart } = request
  if (!multipart) throw upload.missing()
  let receiving: Promise<Stored> | null = null
  // After a storage error, responds immediately instead of waiting for the last byte of the form.
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => {})
  multipart.onFile('file', {}, async (part) => {
    if (receiving) return void part.resume()
    receiving = upload.keep(limitStream(part, request.request, upload), part.filename)
    await receiving.catch(failed.reject)
  })
  try {
    const form = processForm(request, upload.limit + FORM_OVERHEAD_BYTES, upload.tooLarge)
    await Promise.race([form, failed.promise])
  } catch (error) {
    const stored = receiving as Promise<Stored> | null
    stored?.then((each) => upload.discard(each)).catch(() => {})
    throw error
  }
  if (!receiving) throw upload.missing()
  return receiving
}

/** `limit` applies to all parts together, also to unexpected ones. */
function processForm(
  { multipart, request }: HttpContext['request'],
  limit: number,
  tooLarge: () => AppError
): Promise<void> {
  watchRequestBytes(request, limit, () => multipart.abort(tooLarge()))
  return multipart.process({ limit })
}

export interface MultipleUploadTarget<Stored> extends Omit<UploadTarget<Stored>, 'keep'> {
  maxFiles: number
  /** Maximum bytes of all files. Default `maxFiles` times `limit`. */
  total?: number
  tooMany(): AppError
  keep(bytes: Readable, filename: string, part: string): Promise<Stored>
}

/** On an error, deletes the files already stored. */
export async function receiveFiles<Stored>(
  { request }: HttpContext,
  upload: MultipleUploadTarget<Stored>
): Promise<Stored[]> {
  const { multipart } = request
  if (!multipart) throw upload.missing()
  // In the order of the form, because a small file can be stored before an earlier large one.
  const stored: Stored[] = []
  /** Whether the upload has failed. A file that is stored after that must be discarded too. */
  let isOver = false
  let begun = 0
  // Each file adds a listener for aborted requests. Node warns above its default limit of 10.
  request.request.setMaxListeners(upload.maxFiles + 20)
  const { total = upload.maxFiles * upload.limit } = upload
  if (upload.total && declaredUploadBytes({ request }) > total) throw upload.tooMany()
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => {})
  // After a failed file, responds immediately instead of waiting for the last byte of the form.
  multipart.onFile('*', {}, async (part) => {
    const index = begun++
    if (index >= upload.maxFiles) {
      part.resume()
      return failed.reject(upload.tooMany())
    }
    try {
      const bytes = limitStream(part, request.request, upload)
      const file = await upload.keep(bytes, part.filename, part.name)
      if (isOver) await upload.discard(file)
      else stored[index] = file
    } catch (error) {
      part.resume()
      failed.reject(error)
    }
  })
  try {
    const form = processForm(request, total + FORM_OVERHEAD_BYTES, upload.tooMany)
    await Promise.race([form, failed.promise])
  } catch (error) {
    isOver = true
    await Promise.allSettled(stored.map((each) => upload.discard(each)))
    throw request.request.aborted ? upload.cutOff() : error
  }
  if (stored.length === 0) throw upload.missing()
  return stored
}

/**
 * Reads and discards the rest of a body, for at most 30 s. If the connection closed immediately, the client would
 * see a reset instead of the response.
 */
export function discardBody(request: IncomingMessage): void {
  request.unpipe()
  request.resume()
  if (request.readableEnded || request.destroyed) return
  const timer = setTimeout(() => request.socket.destroy(), DRAIN_TIMEOUT_MS).unref()
  request.once('close', () => clearTimeout(timer))
}

/** The returned stream fails above the limit, or if the client disconnects. */
function limitStream(
  part: Readable,
  request: Readable,
  upload: Pick<UploadTarget<unknown>, 'limit' | 'tooLarge' | 'cutOff'>
): Readable {
  let bytes = 0
  const counter = new Transform({
    highWaterMark: 256 * 1024,
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      done(bytes > upload.limit ? upload.tooLarge() : null, chunk)
    },
  })
  const gone = () => counter.destroy(upload.cutOff())
  request.once('aborted', gone)
  pipeline(part, counter, () => request.off('aborted', gone))
  return counter
}
