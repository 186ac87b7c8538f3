import { createServer } from 'node:net'

/**
 * Returns `wanted` if it is free, otherwise any free port of 127.0.0.1.
 * @throws Error if none is free
 */
export async function findFreePort(wanted: number): Promise<number> {
  const listen = (port: number) =>
    new Promise<number | undefined>((done) => {
      const server = createServer()
      server.once('error', () => done(undefined))
      server.listen(port, '127.0.0.1', () => {
        const address = server.address()
        server.close(() => done(typeof address === 'object' ? address?.port : undefined))
      })
    })
  const port = (wanted && (await listen(wanted))) || (await listen(0))
  if (!port) throw new Error('No free port on 127.0.0.1')
  return port
}
