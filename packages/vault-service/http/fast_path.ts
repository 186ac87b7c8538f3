import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { UsageMeter, ObjectStore } from '../types.js'
import { chooseCoding } from './compression.js'
import type { ObjectCache } from './object_cache.js'
import { parseObjectAddress, type ObjectAddress } from './object_names.js'
import { countAndSendFromMemory, isPubliclyReadable, writeResponse } from './serve_from_memory.js'

const MAX_HEAD_BYTES = 4096

/**
 * Headers that the fast path ignores, and `accept-encoding`, which it supports. A request with any other header is
 * handled by Node's HTTP server, except for `connection: keep-alive`.
 */
const harmless =
  /^(?:host|user-agent|accept|accept-language|accept-encoding|referer|cookie|dnt|priority|pragma|cache-control|upgrade-insecure-requests|sec-[a-z-]+|via|forwarded|x-forwarded-[a-z]+|x-real-ip)$/

interface Plain {
  address: ObjectAddress
  accept: string | undefined
}

export interface FastPathDeps {
  store: Pick<ObjectStore, 'vaultByKey'>
  hot: ObjectCache
  meter: UsageMeter
}

/**
 * Responds to plain GETs on a connection before Node's HTTP server gets it, because for small objects the HTTP server
 * needs most of the time. As soon as another kind of request arrives, or the object cannot be served from memory, the
 * HTTP server takes over the connection.
 */
export function installFastPath(server: Server, deps: FastPathDeps): void {
  const accept = server.listeners('connection')[0] as (this: Server, socket: Socket) => void
  server.removeAllListeners('connection')
  const early = new Set<Socket>()
  const [closeIdle, closeAll] = [server.closeIdleConnections, server.closeAllConnections]
  server.closeIdleConnections = () => {
    for (const socket of early) socket.destroySoon()
    closeIdle.call(server)
  }
  server.closeAllConnections = () => {
    for (const socket of early) socket.destroy()
    closeAll.call(server)
  }

  server.on('connection', (socket: Socket) => {
    const handOver = (chunk: Buffer) => {
      early.delete(socket)
      socket.off('data', hear).off('end', end).off('timeout', cut).off('error', cut)
      socket.setTimeout(0)
      accept.call(server, socket)
      socket.unshift(chunk)
      socket.resume()
    }
    /** Whether a response is being prepared or written. */
    let answering = false
    /** Whether the client has closed its sending side, so that no further request can follow. */
    let isLast = false
    const answer = ({ address, accept }: Plain) => {
      const representation = deps.hot.get(address.key, address.name)
      const send = (head: Buffer, body: Buffer) => {
        writeResponse(socket, head, body)
        answering = false
        if (isLast || !server.listening) return socket.destroySoon()
        early.add(socket)
      }
      answering = true
      const isReady =
        representation !== undefined &&
        countAndSendFromMemory(deps.meter, representation, accept, send)
      if (!isReady) answering = false
      if (answering) early.delete(socket)
      return isReady
    }
    const hear = (chunk: Buffer) => {
      // Tries again later, because the response to the previous request has not been written yet.
      if (answering) return void setImmediate(hear, chunk)
      if (socket.destroyed || socket.writableEnded) return
      const plain = socket.writableLength === 0 ? parsePlainGet(chunk) : undefined
      if (!plain) return handOver(chunk)
      if (answer(plain)) return
      socket.pause()
      early.delete(socket)
      void load(deps, plain).then(() => {
        if (socket.destroyed) return
        if (!answer(plain)) return handOver(chunk)
        socket.resume()
      })
    }
    const end = () => {
      isLast = true
      if (!answering) socket.destroySoon()
    }
    const cut = () => socket.destroy()
    early.add(socket)
    socket.once('close', () => early.delete(socket))
    socket.on('data', hear).on('end', end).on('timeout', cut).on('error', cut)
    socket.setTimeout(server.keepAliveTimeout)
  })
}

/**
 * Loads the object into memory if possible. Ignores errors: the HTTP server then handles the request, and reports the
 * same error.
 */
async function load({ store, hot }: FastPathDeps, { address, accept }: Plain): Promise<void> {
  try {
    const vault = await store.vaultByKey(address.key)
    if (!vault || !isPubliclyReadable(vault)) return
    const representation = await hot.load(vault, address.name)
    await representation?.prepare(chooseCoding(accept))
  } catch {
    return
  }
}

/** Returns undefined unless the chunk is exactly one plain GET of an object. */
export function parsePlainGet(chunk: Buffer): Plain | undefined {
  if (chunk.length > MAX_HEAD_BYTES || chunk[0] !== 0x47) return undefined
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

function addressOrNone(path: string): ObjectAddress | undefined {
  try {
    return parseObjectAddress(path)
  } catch {
    return undefined
  }
}
