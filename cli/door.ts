import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, rm } from 'node:fs/promises'
import { createServer } from 'node:net'

/**
 * Listens on a Unix socket, starts a program for each connection and passes the connection to it as
 * descriptor 0. The permissions of the socket's folder decide who may connect. Returns a function that closes
 * the socket.
 */
export async function openDoor(
  path: string,
  [name, ...rest]: string[],
  env: NodeJS.ProcessEnv
): Promise<() => Promise<void>> {
  await rm(path, { force: true })
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    const child = spawn(name, rest, { cwd: '/', env, stdio: [socket, 'ignore', 'inherit'] })
    child.once('error', () => {})
    socket.on('error', () => {})
    // The program has its own descriptor now. Ours would keep the connection open.
    socket.destroy()
  })
  server.listen(path)
  await once(server, 'listening')
  await chmod(path, 0o660)
  return () => new Promise((done) => server.close(() => done()))
}
