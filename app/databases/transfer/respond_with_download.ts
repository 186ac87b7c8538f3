import type { HttpContext } from '@adonisjs/core/http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/**
 * Streams a download. An error after the start closes the connection, so that a truncated file does not
 * look complete.
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
