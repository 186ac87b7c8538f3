import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Starts a proxy in front of PostgreSQL. While frozen, it accepts connections and bytes, but forwards nothing. */
export async function startFreezingProxy(databaseUrl: string) {
  const url = new URL(databaseUrl)
  const folder = url.searchParams.get('host')
  const port = Number(url.port || 5432)
  const target = folder?.startsWith('/')
    ? { path: `${folder}/.s.PGSQL.${port}` }
    : { host: url.hostname, port }
  const open = new Set<Socket>()
  let isFrozen = false
  const server = createServer((client) => {
    const upstream = connect(target)
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ]) {
      open.add(socket)
      if (isFrozen) socket.pause()
      socket.on('data', (chunk) => other.write(chunk))
      socket.on('error', () => {})
      socket.on('close', () => {
        open.delete(socket)
        other.destroy()
      })
    }
    if (isFrozen) for (const socket of [client, upstream]) socket.pause()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  url.searchParams.delete('host')
  return {
    url: url.href,
    freeze() {
      isFrozen = true
      for (const socket of open) socket.pause()
    },
    thaw() {
      isFrozen = false
      for (const socket of open) socket.resume()
    },
    async stop() {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
