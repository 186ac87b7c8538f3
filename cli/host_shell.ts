import { join } from 'node:path'
import { buildFolder } from './build.js'
import { openSocketServer } from './socket.js'
import { tiedToUs } from './run.js'

/** What serves one connection. */
export const hostShellProgram = [process.execPath, join(buildFolder, 'bin/host_shell.js')]

/** Root shells that may be open at once. */
export const MAX_HOST_SHELLS = 64

/**
 * Where the gateway, which is nobody, gets the root shells that administrators open on this
 * machine. Each connection is handed over, unread, to a program of its own. Who may connect is
 * whoever may enter the socket's folder. Returns how to close it.
 */
export function openHostShells(path: string, program: string[]): Promise<() => Promise<void>> {
  const { PATH, LANG } = process.env
  return openSocketServer(path, tiedToUs(program, 'TERM'), { PATH, LANG }, MAX_HOST_SHELLS)
}
