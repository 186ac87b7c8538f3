import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Meter } from '../types.js'
import type { Hot } from './hot.js'
import { addressOf, type Address } from './names.js'
import { writeReady } from './prepared.js'

/** A head that is longer is nothing plain, bytes. */
const LONGEST = 4096

/** Headers that change nothing about a plain GET. With any other one the request goes to the HTTP server. */
const harmless =
  /^(?:host|user-agent|accept|accept-language|accept-encoding|referer|cookie|dnt|priority|pragma|cache-control|upgrade-insecure-requests|sec-[a-z-]+|via|forwarded|x-forwarded-[a-z]+|x-real-ip)$/

interface Plain {
  address: Address
  accept: string | undefined
}

/**
 * Answers plain GETs of what is in memory before Node's HTTP server sees the connection: for small objects it
 * takes more time than everything else together. The first request that is anything else goes to it, with
 * the connection and all that comes after.
 */
export function answerEarly(server: Server, deps: { hot: Hot; meter: Meter }): void {
  const accept = server.listeners('connection')[0] as (this: Server, socket: Socket) => void
  server.removeAllListeners('connection')
  const early = new Set<Socket>()
  const closeIdle = server.closeIdleConnections.bind(server)
  server.closeIdleConnections = () => {
    for (const socket of early) socket.destroySoon()
    closeIdle()
  }

  server.on('connection', (socket: Socket) => {
    const hear = (chunk: Buffer) => {
      if (answer(deps, socket, chunk)) return
      early.delete(socket)
      socket.off('data', hear).off('end', end).off('timeout', end).off('error', end)
      socket.setTimeout(0)
      accept.call(server, socket)
      socket.unshift(chunk)
    }
    const end = () => socket.destroySoon()
    early.add(socket)
    socket.once('close', () => early.delete(socket))
    socket.on('data', hear).on('end', end).on('timeout', end).on('error', end)
    socket.setTimeout(server.keepAliveTimeout)
  })
}

function answer(
  { hot, meter }: { hot: Hot; meter: Meter },
  socket: Socket,
  chunk: Buffer
): boolean {
  if (socket.writableLength > 0) return false
  const plain = parsePlain(chunk)
  if (!plain) return false
  const found = hot.get(plain.address.key, plain.address.name)
  return found !== undefined && writeReady(meter, socket, found, plain.accept)
}

/** One whole GET of an object without anything special about it, and not a byte more; otherwise undefined. */
export function parsePlain(chunk: Buffer): Plain | undefined {
  if (chunk.length > LONGEST || chunk[0] !== 0x47) return undefined
  const text = chunk.toString('latin1')
  if (text.indexOf('\r\n\r\n') !== text.length - 4) return undefined
  const [first, ...lines] = text.slice(0, -4).split('\r\n')
  const path = /^GET (\/[\x21-\x7e]+) HTTP\/1\.1$/.exec(first)?.[1]
  if (!path || path.includes('?') || path.startsWith('/control/')) return undefined
  let hosts = 0
  let accept: string | undefined
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).toLowerCase()
    const value = line.slice(colon + 1).trim()
    if (name === 'connection' && /^keep-alive$/i.test(value)) continue
    if (!harmless.test(name) || /[^\t\x20-\x7e]/.test(value)) return undefined
    if (name === 'host') hosts++
    if (name !== 'accept-encoding') continue
    if (accept !== undefined) return undefined
    accept = value
  }
  const address = hosts === 1 ? addressOrNone(path) : undefined
  return address && { address, accept }
}

function addressOrNone(path: string): Address | undefined {
  try {
    return addressOf(path)
  } catch {
    return undefined
  }
}
