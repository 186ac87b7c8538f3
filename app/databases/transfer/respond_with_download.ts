import type { HttpContext } from '@adonisjs/core/http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/**
 * Sends a file while it flows. Once it has begun there is no refusal any more: the connection is
 * broken off, so that a short file never looks whole.
 */
export async function respondWithDownload(
  { response }: HttpContext,
  body: Readable,
  { filename, mediaType, bytes }: { filename: string; mediaType: string; bytes?: number }
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
  await pipeline(body, raw).catch(() => raw.destroy())
}
