import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { buildFolder } from './build.js'
import { tiedToUs } from './run.js'

/** What serves one connection. */
export const hostShellProgram = [process.execPath, join(buildFolder, 'bin/host_shell.js')]

/**
 * Where the gateway, which is nobody, gets the root shells that administrators open on this
 * machine. Each connection is handed over, unread, to a program of its own. Who may connect is
 * whoever may enter the socket's folder. Returns how to close it.
 */
export async function openHostShells(
  path: string,
  program: string[]
): Promise<() => Promise<void>> {
  await rm(path, { force: true })
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    const [name, ...rest] = tiedToUs(program, 'TERM')
    const child = spawn(name, rest, {
      cwd: '/',
      env: { PATH: process.env.PATH, LANG: process.env.LANG },
      stdio: [socket, 'ignore', 'inherit'],
    })
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
