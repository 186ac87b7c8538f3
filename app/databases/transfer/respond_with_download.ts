import type { HttpContext } from '@adonisjs/core/http'
import type { ServerResponse } from 'node:http'
import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** If the client of a running export takes fewer bytes per second (over `RATE_WINDOW_MS`), the download ends. */
const MIN_BYTES_PER_SECOND = 16 * 1024
const RATE_WINDOW_MS = 60_000

interface Download {
  filename: string
  mediaType: string
  /** Size of a finished file. Its download has no minimum rate, because no export program runs. */
  bytes?: number
  minBytesPerSecond?: number
  rateWindowMs?: number
}

/**
 * Streams a download. An error after the start closes the connection, so that a truncated file does not look
 * complete. The export program runs until the download ends, so a client that is too slow is disconnected.
 */
export async function respondWithDownload(
  { response }: HttpContext,
  body: Readable,
  {
    filename,
    mediaType,
    bytes,
    minBytesPerSecond = MIN_BYTES_PER_SECOND,
    rateWindowMs = RATE_WINDOW_MS,
  }: Download
): Promise<void> {
  const plain = filename.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_')
  response.header('content-type', mediaType)
  response.header('content-disposition', `attachment; filename="${plain}"`)
  response.header('x-content-type-options', 'nosniff')
  response.header('content-security-policy', "sandbox; default-src 'none'")
  response.header('cache-control', 'private, no-store')
  if (bytes !== undefined) response.header('content-length', String(bytes))
  const raw = response.response
  response.relayHeaders()
  raw.writeHead(200)
  if (bytes !== undefined) return pipeline(body, raw).catch(() => void raw.destroy())
  const limit = endSlowReader(raw, minBytesPerSecond, rateWindowMs)
  await pipeline(body, limit.counter, raw).catch(() => raw.destroy())
  limit.end()
}

/**
 * Disconnects a client that is too slow. Counts only the time in which data waits for the client, not the time in
 * which the export program writes nothing.
 */
function endSlowReader(raw: ServerResponse, minBytesPerSecond: number, windowMs: number) {
  let taken = 0
  let waitedMs = 0
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      taken += chunk.length
      done(null, chunk)
    },
  })
  const intervalMs = Math.min(1_000, windowMs / 4)
  const timer = setInterval(() => {
    if (!raw.writableNeedDrain) return
    waitedMs += intervalMs
    if (waitedMs < windowMs) return
    if (taken < (minBytesPerSecond * windowMs) / 1_000) raw.destroy()
    taken = 0
    waitedMs = 0
  }, intervalMs)
  return { counter, end: () => clearInterval(timer) }
}
