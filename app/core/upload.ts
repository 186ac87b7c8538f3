import { watchRequestBytes } from '#core/multipart_limits'
import type { AppError } from '#core/app_error'
import type { HttpContext } from '@adonisjs/core/http'
import type { IncomingMessage } from 'node:http'
import { pipeline, Transform, type Readable } from 'node:stream'

/** Room for the other parts of the form. */
const FORM_OVERHEAD_BYTES = 64 * 1024
/** How long the rest of a refused body is read, in milliseconds. */
const DRAIN_TIMEOUT_MS = 30_000

/** Where the file of a form goes, and what is said where it cannot. */
export interface UploadTarget<Stored> {
  /** Bytes. */
  limit: number
  tooLarge(): AppError
  cutOff(): AppError
  /** The form has no file. */
  missing(): AppError
  /** Keeps the bytes as they come in; `filename` is what the sender calls them. */
  keep(bytes: Readable, filename: string): Promise<Stored>
  /** Throws away what was kept although the form around it did not end. */
  discard(stored: Stored): Promise<void>
}

/** How many bytes of a request are its file at least, by its own word; 0 where it does not say. */
export function declaredUploadBytes({ request }: Pick<HttpContext, 'request'>): number {
  return Math.max(0, Number(request.header('content-length') ?? 0) - FORM_OVERHEAD_BYTES)
}

/**
 * Runs what answers an upload. Where it is refused, what is still being sent is read and thrown away:
 * closed on, the sender would see a reset and not the answer; sent for ever, it would hold the connection.
 */
export async function drainBodyOnError({ request }: HttpContext, work: () => Promise<void>) {
  try {
    await work()
  } catch (error) {
    if (request.multipart) discardBody(request.request)
    throw error
  }
}

/** Streams the part called `file` to where it belongs; nothing of it touches our disk. */
export async function receiveFile<Stored>(
  { request }: HttpContext,
  upload: UploadTarget<Stored>
): Promise<Stored> {
  const { multipart } = request
  if (!multipart) throw upload.missing()
  let receiving: Promise<Stored> | null = null
  // What fails is told at once: the form itself ends only with the last byte of the body.
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

/** Reads a form of at most `limit` bytes, unexpected parts included. */
function processForm(
  { multipart, request }: HttpContext['request'],
  limit: number,
  tooLarge: () => AppError
): Promise<void> {
  watchRequestBytes(request, limit, () => multipart.abort(tooLarge()))
  return multipart.process({ limit })
}

/** Several files of a form; `keep` is told the name of each part too. */
export interface MultipleUploadTarget<Stored> extends Omit<UploadTarget<Stored>, 'keep'> {
  /** Files of one form. */
  maxFiles: number
  /** Bytes of the form, where that is less than the two limits make. */
  total?: number
  tooMany(): AppError
  keep(bytes: Readable, filename: string, part: string): Promise<Stored>
}

/**
 * Streams the files of a form to where they belong, one after another as they come; all of them are kept or none.
 */
export async function receiveFiles<Stored>(
  { request }: HttpContext,
  upload: MultipleUploadTarget<Stored>
): Promise<Stored[]> {
  const { multipart } = request
  if (!multipart) throw upload.missing()
  // By the place of each in the form: a small one is kept before a large one that came first.
  const stored: Stored[] = []
  let begun = 0
  // Each file minds whether the sender goes away.
  request.request.setMaxListeners(upload.maxFiles + 20)
  const { total = upload.maxFiles * upload.limit } = upload
  if (upload.total && declaredUploadBytes({ request }) > total) throw upload.tooMany()
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => {})
  // What its parser has no handler for it passes over; the form itself ends only with the last byte.
  multipart.onFile('*', {}, async (part) => {
    const index = begun++
    if (index >= upload.maxFiles) {
      part.resume()
      return failed.reject(upload.tooMany())
    }
    try {
      const bytes = limitStream(part, request.request, upload)
      stored[index] = await upload.keep(bytes, part.filename, part.name)
    } catch (error) {
      part.resume()
      failed.reject(error)
    }
  })
  try {
    const form = processForm(request, total + FORM_OVERHEAD_BYTES, upload.tooMany)
    await Promise.race([form, failed.promise])
  } catch (error) {
    await Promise.allSettled(stored.map((each) => upload.discard(each)))
    throw request.request.aborted ? upload.cutOff() : error
  }
  if (stored.length === 0) throw upload.missing()
  return stored
}

/**
 * Reads and discards the rest of a body, for at most 30 s. If the connection closed earlier, the sender would
 * see a reset instead of the response.
 */
export function discardBody(request: IncomingMessage): void {
  request.unpipe()
  request.resume()
  if (request.readableEnded || request.destroyed) return
  const timer = setTimeout(() => request.socket.destroy(), DRAIN_TIMEOUT_MS).unref()
  request.once('close', () => clearTimeout(timer))
}

/** Ends with an error when more comes than is allowed, or when the sender goes away. */
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
