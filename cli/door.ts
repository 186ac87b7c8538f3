import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, rm } from 'node:fs/promises'
import { createServer } from 'node:net'

/**
 * Listens at a socket and hands each connection over, unread, to a program of its own as descriptor 0.
 * The socket's folder decides who may connect. Returns how to close it.
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
    // The program has it now; our end of it would keep the connection open.
    socket.destroy()
  })
  server.listen(path)
  await once(server, 'listening')
  await chmod(path, 0o660)
  return () => new Promise((done) => server.close(() => done()))
}
