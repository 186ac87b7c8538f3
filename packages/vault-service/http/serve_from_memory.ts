import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { UsageMeter, Vault } from '../types.js'
import { chooseCoding } from './compression.js'
import type { ObjectAddress } from './object_names.js'
import { MAX_SINGLE_WRITE_BYTES, type ObjectRepresentation } from './object_representation.js'

/**
 * Maximum size of responses whose usage is counted in batches. For a larger response, waiting for the batch would cost
 * more time than it saves.
 */
const MAX_BATCHED_BYTES = 16_384

/** A request with one of these headers is not a plain GET. */
const special = [
  'range',
  'origin',
  'if-none-match',
  'if-modified-since',
  'if-match',
  'if-unmodified-since',
  'expect',
  'upgrade',
  'content-length',
  'transfer-encoding',
] as const

let second = 0
let firstLines = Buffer.alloc(0)

function tick(): void {
  const now = Math.floor(Date.now() / 1000)
  if (now === second) return
  second = now
  firstLines = Buffer.from(`HTTP/1.1 200 OK\r\nDate: ${new Date(now * 1000).toUTCString()}\r\n`)
}

interface Ready {
  second: number
  bytes: Buffer
}

/** Complete responses, ready to send, by body. Each is used for at most one second, because it contains `Date`. */
const ready = new WeakMap<Buffer, Ready>()

/** Writes the status line, `Date` and the response. Calls `done` when the socket has accepted the bytes. */
export function writeResponse(
  socket: Socket,
  head: Buffer,
  body: Buffer,
  done?: (error?: Error | null) => void
): void {
  tick()
  if (body.length > MAX_SINGLE_WRITE_BYTES) {
    socket.cork()
    socket.write(Buffer.concat([firstLines, head]))
    socket.write(body, done)
    socket.uncork()
    return
  }
  let known = ready.get(body)
  if (known?.second !== second) {
    known = { second, bytes: Buffer.concat([firstLines, head, body]) }
    ready.set(body, known)
  }
  socket.write(known.bytes, done)
}

export function isPubliclyReadable({ state, limitReached, isPrivate }: Vault): boolean {
  return (state === 'active' || state === 'read_only') && !limitReached && !isPrivate
}

/**
 * Counts the usage of a plain GET, then calls `send`, immediately or in the next turn of the event loop. Does nothing
 * and returns false if the vault is not public, or if the body for `accept` (`Accept-Encoding`) is not in memory.
 */
export function countAndSendFromMemory(
  meter: UsageMeter,
  representation: ObjectRepresentation,
  accept: string | undefined,
  send: (head: Buffer, body: Buffer) => void
): boolean {
  const { vault } = representation
  if (!isPubliclyReadable(vault)) return false
  const coding = representation.isCompressible
    ? representation.instead(chooseCoding(accept))
    : 'identity'
  const body = representation.bodyIn(coding)
  const head = representation.head(coding)
  if (!body || !head) return false
  if (body.length <= MAX_BATCHED_BYTES) {
    meter.countReady(vault, body.length, () => send(head, body))
    return true
  }
  meter.count(vault, 0, body.length)
  send(head, body)
  return true
}

/**
 * Serves a request from memory without `ServerResponse`, which would take most of the time of a small response. Does
 * nothing and returns false if the request is not a plain GET, or cannot be served from memory.
 */
export function serveRequestFromMemory(
  meter: UsageMeter,
  request: IncomingMessage,
  response: ServerResponse,
  representation: ObjectRepresentation,
  { query }: ObjectAddress
): boolean {
  if (request.method !== 'GET' || query !== '') return false
  const { headers } = request
  if (special.some((name) => headers[name] !== undefined)) return false
  const isKeepAlive = headers.connection === undefined || /^keep-alive$/i.test(headers.connection)
  if (request.httpVersion !== '1.1' || !isKeepAlive) return false
  // Leaves the request to `ServerResponse` while earlier responses on this connection are still being sent, so that the
  // order is right.
  const { socket } = response
  if (!socket || socket.writableLength > 0) return false
  // `ServerResponse` emits `finish` after its last byte, and then the HTTP server handles the next request. Does the
  // same here.
  const finish = (error?: Error | null) => void (error || response.emit('finish'))
  const accept = headers['accept-encoding'] as string | undefined
  return countAndSendFromMemory(meter, representation, accept, (head, body) =>
    writeResponse(socket, head, body, finish)
  )
}
