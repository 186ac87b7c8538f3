import type { IncomingMessage, ServerResponse } from 'node:http'
import { VaultError } from '../errors.js'

/** Maximum bytes of a rejected body that are still read, so that the client receives the response. */
const MAX_DRAINED_BYTES = 1024 ** 2
/** Time for which the connection stays open after an error response, unless the request's body ends earlier. */
const LINGER_MS = 2000

/** Response of the APIs `/upload` and `/remove`. `filepath` is the object's name. */
export interface JsonResponseBody {
  success: boolean
  message: string
  filepath?: string
}

export function sendJson(
  response: ServerResponse,
  status: number,
  content: JsonResponseBody,
  headers: Record<string, string> = {}
): void {
  response.end(begin(response, status, content, headers))
}

/**
 * Sends a VaultError as `{ success: false, message }` with its status.
 * @throws other errors, and all errors after the response has started
 */
export function sendError(
  response: ServerResponse,
  error: unknown,
  headers: Record<string, string> = {}
): void {
  const vaultError = toVaultError(response, error)
  const content = { success: false, message: vaultError.message }
  sendJson(response, vaultError.status, content, { ...headers, ...vaultError.headers })
}

/**
 * Sends an error while the client is still sending its body. If a connection is closed while there are unread bytes,
 * the client may lose the response. So this function reads some more bytes, and leaves the client time to receive the
 * response.
 */
export function sendErrorWhileReceiving(
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
  headers: Record<string, string> = {}
): void {
  if (request.complete) return sendError(response, error, headers)
  const vaultError = toVaultError(response, error)
  const content = { success: false, message: vaultError.message }
  const all = { ...headers, ...vaultError.headers, Connection: 'close' }
  response.write(begin(response, vaultError.status, content, all))
  const timer = setTimeout(() => response.end(), LINGER_MS)
  response.once('close', () => clearTimeout(timer))
  let drained = 0
  request
    .on('error', () => {})
    .on('end', () => response.end())
    .on('data', ({ length }: Buffer) => {
      drained += length
      if (drained > MAX_DRAINED_BYTES) request.pause()
    })
  request.unpipe()
  request.resume()
}

/** Sends status and headers. Returns the body that is still to be sent, which is empty for HEAD. */
function begin(
  response: ServerResponse,
  status: number,
  content: JsonResponseBody,
  headers: Record<string, string>
): Buffer {
  const body = Buffer.from(JSON.stringify(content))
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(body.length),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...headers,
  })
  return response.req.method === 'HEAD' ? Buffer.alloc(0) : body
}

function toVaultError(response: ServerResponse, error: unknown): VaultError {
  if (error instanceof VaultError && !response.headersSent) return error
  throw error
}

/** Sends `100 Continue` if the client expects it. The server must handle `checkContinue`. */
export function sendContinue(request: IncomingMessage, response: ServerResponse): void {
  if (request.headers.expect?.toLowerCase() === '100-continue') response.writeContinue()
}
