import { join } from 'node:path'
import { buildFolder } from './build.js'
import { listenWithProgramPerConnection } from './program_per_connection.js'
import { withParentDeathSignal } from './run_program.js'

export const hostShellCommand = [process.execPath, join(buildFolder, 'bin/host_shell.js')]

export const MAX_HOST_SHELLS = 64

/**
 * Serves root shells to administrators, because the gateway itself has no root. Starts a separate program for each
 * connection.
 * @returns a function that closes the socket
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
