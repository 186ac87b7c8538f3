import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, rm } from 'node:fs/promises'
import { createServer } from 'node:net'

/**
 * Each program gets its connection as file descriptor 0. Only this process's user and the socket's group can connect.
 * In a folder with setgid, the socket gets the folder's group. While `maxProcesses` programs are running, closes new
 * connections and logs that, like systemd's `MaxConnections=`.
 * @returns a function that closes the socket
 */
export async function listenWithProgramPerConnection(
  path: string,
  [name, ...rest]: string[],
  env: NodeJS.ProcessEnv,
  maxProcesses: number
): Promise<() => Promise<void>> {
  await rm(path, { force: true })
  let running = 0
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    if (running >= maxProcesses) {
      process.stderr.write(
        `${path}: refused a connection, because ${maxProcesses} programs run already\n`
      )
      socket.on('error', () => {})
      socket.destroy()
      return
    }
    running++
    const over = () => void running--
    const child = spawn(name, rest, { cwd: '/', env, stdio: [socket, 'ignore', 'inherit'] })
    child.once('error', () => {
      // If the program could not be started, `exit` is never emitted.
      if (child.pid === undefined) over()
    })
    child.once('exit', over)
    socket.on('error', () => {})
    // The program has a copy of the descriptor. This process must close its own descriptor, because otherwise the
    // connection would stay open.
    socket.destroy()
  })
  server.listen(path)
  await once(server, 'listening')
  await chmod(path, 0o660)
  return () => new Promise((done) => server.close(() => done()))
}
