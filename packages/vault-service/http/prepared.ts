import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Meter } from '../types.js'
import { chooseCoding } from './compression.js'
import type { Address } from './names.js'
import type { Representation } from './representation.js'

/** Headers that make more of a request than "send me that". */
const special = [
  ...['range', 'origin', 'if-none-match', 'if-modified-since', 'if-match', 'if-unmodified-since'],
  ...['expect', 'upgrade', 'content-length', 'transfer-encoding'],
] as const

let second = 0
let start = Buffer.alloc(0)

/** The first lines of a plain answer, of this second. */
function firstLines(): Buffer {
  const now = Date.now()
  if (now - second >= 1000 || now < second) {
    second = now - (now % 1000)
    start = Buffer.from(`HTTP/1.1 200 OK\r\nDate: ${new Date(now).toUTCString()}\r\n`)
  }
  return start
}

/**
 * Answers a plain GET of what is in memory with bytes that are ready, past `ServerResponse`, which takes most of
 * the time of a small answer. False: this request needs more than that, and nothing was done.
 */
export function writePrepared(
  meter: Meter,
  request: IncomingMessage,
  response: ServerResponse,
  found: Representation,
  { query }: Address
): boolean {
  const { vault } = found
  const isServed = vault.state === 'active' || vault.state === 'read_only'
  if (!isServed || vault.limitReached || vault.isPrivate) return false
  if (request.method !== 'GET' || query !== '') return false
  const { headers } = request
  if (special.some((name) => headers[name] !== undefined)) return false
  const isKept = headers.connection === undefined || /^keep-alive$/i.test(headers.connection)
  if (request.httpVersion !== '1.1' || !isKept) return false
  // Answers to earlier requests of this connection come first.
  const { socket } = response
  if (!socket || socket.writableLength > 0) return false

  const coding = found.isText ? chooseCoding(headers['accept-encoding']) : 'identity'
  const body = found.bodyIn(coding)
  const head = found.head(coding)
  if (!body || !head) return false

  meter.count(vault, 0, body.length)
  // What ServerResponse does once its last byte is handed over: the server goes on to the next request.
  const finish = (error?: Error | null) => void (error || response.emit('finish'))
  socket.cork()
  socket.write(Buffer.concat([firstLines(), head]))
  if (body.length > 0) socket.write(body, finish)
  else socket.write('', finish)
  socket.uncork()
  return true
}
