import type { IncomingMessage, ServerResponse } from 'node:http'
import { VaultError } from '../errors.js'

/** Read of a body that is not wanted, bytes, so that its sender comes to see the answer. */
const MAX_DRAINED_BYTES = 1024 ** 2
/** And then waited for the sender to go, milliseconds. */
const LINGER_MS = 2000

/** What calls are answered with; `filepath` is the name in the vault. */
export interface JsonResponseBody {
  success: boolean
  message: string
  filepath?: string
}

/** A small JSON answer that nobody keeps. */
export function sendJson(
  response: ServerResponse,
  status: number,
  content: JsonResponseBody,
  headers: Record<string, string> = {}
): void {
  response.end(begin(response, status, content, headers))
}

/**
 * Says a refusal's words: `{ success: false, message }` with its status. What is none, or comes when something was
 * answered already, is thrown on.
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
 * The same to somebody who is still sending. A connection that is closed with unread bytes takes the answer with
 * it, so a little more is read, and who then still sends has a moment to see it.
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

/** Sends the head; gives the body, which a HEAD does not get. */
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

/** Tells who waits for it (`Expect: 100-continue`) to send the body now. The server must listen to `checkContinue`. */
export function sendContinue(request: IncomingMessage, response: ServerResponse): void {
  if (request.headers.expect?.toLowerCase() === '100-continue') response.writeContinue()
}
