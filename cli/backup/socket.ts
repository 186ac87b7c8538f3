import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { buildFolder } from '../build.js'
import { listenWithProgramPerConnection } from '../program_per_connection.js'
import type { BerthHome } from '../berth_home.js'
import { typescriptLoaderArgs, installRoot } from '../paths.js'
import { withParentDeathSignal, type ProcessUser } from '../run_program.js'

/** What serves one connection. */
export const builtBackupServerCommand = [process.execPath, join(buildFolder, 'bin/backup.js')]
/** The same from the sources. */
export const sourceBackupServerCommand = [
  process.execPath,
  ...typescriptLoaderArgs,
  join(installRoot, 'bin/backup.ts'),
]

/** Jobs that may run at once. */
export const MAX_BACKUP_JOBS = 8

/** Where the worker asks for backups. */
export function backupSocketPath({ path }: BerthHome): string {
  return join(path, 'backup', 'door', 'socket')
}

/** What the program is told: where the home is, and how it gets out. */
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
 * Where the worker, who may read none of it, has everything backed up. Each connection is handed over, unread, to a
 * program of its own that reads all and ends with its job. Returns how to close it.
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
