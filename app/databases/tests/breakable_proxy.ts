import env from '#start/env'
import { Secret } from '@adonisjs/core/helpers'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/**
 * Starts a proxy between Berth and its managed server, and sets MYSQL_URL to it. The test decides when the proxy
 * breaks all connections.
 */
export async function startBreakableProxy(url: string) {
  const target = new URL(url)
  const open = new Set<Socket>()
  let seen = 0
  let limit = Infinity
  let then: (() => Promise<void>) | undefined
  let waiting: Promise<void> = Promise.resolve()
  const cut = () => {
    limit = Infinity
    for (const socket of open) socket.destroy()
    if (then) waiting = then()
    then = undefined
  }
  const server = createServer((socket) => {
    const other = connect(Number(target.port), target.hostname)
    for (const each of [socket, other]) {
      open.add(each)
      each.on('error', () => {})
      each.on('close', () => {
        open.delete(each)
        socket.destroy()
        other.destroy()
      })
    }
    socket.on('data', (chunk) => {
      if (++seen > limit) return cut()
      other.write(chunk)
    })
    other.on('data', (chunk) => socket.write(chunk))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const through = new URL(url)
  through.port = String((server.address() as AddressInfo).port)
  const before = env.get('MYSQL_URL')
  env.set('MYSQL_URL', new Secret(through.href))
  return {
    /** Forwards `messages` further chunks from Berth. At the next one, breaks all connections and calls `more`. */
    after(messages: number, more?: () => Promise<void>) {
      seen = 0
      limit = messages
      then = more
    },
    seen: () => seen,
    over: () => waiting,
    async stop() {
      env.set('MYSQL_URL', before as never)
      for (const socket of open) socket.destroy()
      server.close()
    },
  }
}
