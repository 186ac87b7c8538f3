import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { UsageMeter, Vault } from '../types.js'
import { chooseCoding } from './compression.js'
import type { ObjectAddress } from './object_names.js'
import { MAX_SINGLE_WRITE_BYTES, type ObjectRepresentation } from './object_representation.js'

/** Answers up to that size, bytes, are counted together; of larger ones the writing is what takes time, and waiting costs more. */
const MAX_BATCHED_BYTES = 16_384

/** Headers that make more of a request than "send me that". */
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

/** Begins a new second's answers: all say the time. */
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

/** Small answers of this second. */
const ready = new WeakMap<Buffer, Ready>()

/** Writes an answer with this second's first lines before it. `done` is called when it is handed over. */
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

/** Whether everybody may read from it now. */
export function isPubliclyReadable({ state, limitReached, isPrivate }: Vault): boolean {
  return (state === 'active' || state === 'read_only') && !limitReached && !isPrivate
}

/**
 * Counts the answer to a plain GET of what is in memory, and then has it written: `send` is called now or a moment later. False:
 * not everybody may read it, or it is not there as `accept` (`Accept-Encoding`) wants it; nothing is done.
 */
export function countAndSendFromMemory(
  meter: UsageMeter,
  representation: ObjectRepresentation,
  accept: string | undefined,
  send: (head: Buffer, body: Buffer) => void
): boolean {
  const { vault } = representation
  if (!isPubliclyReadable(vault)) return false
  const coding = representation.isText ? representation.instead(chooseCoding(accept)) : 'identity'
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
 * Answers a plain GET of what is in memory with bytes that are ready, past `ServerResponse`, which takes most of
 * the time of a small answer. False: this request needs more than that, and nothing was done.
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
  // Answers to earlier requests of this connection come first.
  const { socket } = response
  if (!socket || socket.writableLength > 0) return false
  // What ServerResponse does once its last byte is handed over: the server goes on to the next request.
  const finish = (error?: Error | null) => void (error || response.emit('finish'))
  const accept = headers['accept-encoding'] as string | undefined
  return countAndSendFromMemory(meter, representation, accept, (head, body) =>
    writeResponse(socket, head, body, finish)
  )
}
