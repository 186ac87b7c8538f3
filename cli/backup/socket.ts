import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { buildFolder } from '../build.js'
import { listenWithProgramPerConnection } from '../program_per_connection.js'
import type { BerthHome } from '../berth_home.js'
import { typescriptLoaderArgs, installRoot } from '../paths.js'
import { withParentDeathSignal, type ProcessUser } from '../run_program.js'

export const builtBackupServerCommand = [process.execPath, join(buildFolder, 'bin/backup.js')]
export const sourceBackupServerCommand = [
  process.execPath,
  ...typescriptLoaderArgs,
  join(installRoot, 'bin/backup.ts'),
]

export const MAX_BACKUP_JOBS = 8

export function backupSocketPath({ path }: BerthHome): string {
  return join(path, 'backup', 'door', 'socket')
}

/** Returns only BERTH_HOME, PATH, LANG and network settings such as proxies. */
export function backupEnv(
  home: BerthHome,
  env: NodeJS.ProcessEnv = process.env
): NodeJS.ProcessEnv {
  const names = ['PATH', 'LANG', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'SSL_CERT_FILE']
  const presentNames = names.filter((name) => env[name])
  return {
    ...Object.fromEntries(presentNames.map((name) => [name, env[name]])),
    BERTH_HOME: home.path,
  }
}

/**
 * The worker has no permission to read the data itself. For each of its connections, starts a program that has the
 * permission, and passes the connection to it. That program exits after one job.
 * @returns a function that closes the socket
 */
export async function listenOnBackupSocket(
  home: BerthHome,
  program: string[],
  as?: ProcessUser
): Promise<() => Promise<void>> {
  const path = backupSocketPath(home)
  if (!as) await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  return listenWithProgramPerConnection(
    path,
    withParentDeathSignal(program, 'TERM', as),
    backupEnv(home),
    MAX_BACKUP_JOBS
  )
}
