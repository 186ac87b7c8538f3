import { join } from 'node:path'
import { buildFolder } from './build.js'
import { listenWithProgramPerConnection } from './program_per_connection.js'
import { withParentDeathSignal } from './run_program.js'

/** What serves one connection. */
export const hostShellCommand = [process.execPath, join(buildFolder, 'bin/host_shell.js')]

/** Root shells that may be open at once. */
export const MAX_HOST_SHELLS = 64

/**
 * Where the gateway, which is nobody, gets the root shells that administrators open on this
 * machine. Each connection is handed over, unread, to a program of its own. Who may connect is
 * whoever may enter the socket's folder. Returns how to close it.
 */
export function listenOnHostShellSocket(
  path: string,
  program: string[]
): Promise<() => Promise<void>> {
  const { PATH, LANG } = process.env
  return listenWithProgramPerConnection(
    path,
    withParentDeathSignal(program, 'TERM'),
    { PATH, LANG },
    MAX_HOST_SHELLS
  )
}
