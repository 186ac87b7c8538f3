import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP proxy in front of a server of this computer, whose connections a test can break. */
export interface BreakableConnection {
  /** URL of the proxy, such as `http://127.0.0.1:12345`. */
  base: string
  /** Bytes that clients have sent so far. */
  sent(): number
  /**
   * Waits until clients have sent this number of further bytes, then breaks their connections. Nobody can connect
   * until `restore`.
   */
  breakAfter(bytes: number): Promise<void>
  restore(): void
  stop(): Promise<void>
}

export async function startBreakableConnection(port: number): Promise<BreakableConnection> {
  const sockets = new Set<Socket>()
  let [sent, limit, isBroken] = [0, Infinity, false]
  let broken = Promise.withResolvers<void>()
  const breakAll = () => {
    isBroken = true
    for (const socket of sockets) socket.resetAndDestroy()
    broken.resolve()
  }
  const track = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  }
  const server = createServer((client) => {
    track(client)
    if (isBroken) return void client.resetAndDestroy()
    const upstream = connect(port, '127.0.0.1')
    track(upstream)
    client.on('data', (chunk) => {
      sent += chunk.length
      if (sent >= limit && !isBroken) breakAll()
    })
    client.pipe(upstream).pipe(client)
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent: () => sent,
    breakAfter: (bytes) => {
      broken = Promise.withResolvers()
      limit = sent + bytes
      return broken.promise
    },
    restore: () => {
      isBroken = false
      limit = Infinity
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
