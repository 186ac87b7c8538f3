import type { HttpContext } from '@adonisjs/core/http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** Time without progress after which a download is ended. */
const STALL_TIMEOUT_MS = 60_000

/**
 * Streams a download. An error after the start closes the connection, so that a truncated file does not
 * look complete. Ends a download whose reader takes no byte for `stallTimeoutMs`, because the export program
 * runs until the end of the download.
 */
export async function respondWithDownload(
  { response }: HttpContext,
  body: Readable,
  {
    filename,
    mediaType,
    bytes,
    stallTimeoutMs = STALL_TIMEOUT_MS,
  }: { filename: string; mediaType: string; bytes?: number; stallTimeoutMs?: number }
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
  // The timeout also occurs while the database server sends nothing, which is no fault of the reader.
  raw.setTimeout(stallTimeoutMs, () => {
    if (raw.writableNeedDrain) raw.destroy()
  })
  await pipeline(body, raw).catch(() => raw.destroy())
}
