import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { buildFolder } from '../build.js'
import { openSocketServer } from '../socket_server.js'
import type { Home } from '../home.js'
import { typescriptLoaderArgs, root } from '../paths.js'
import { withParentDeathSignal, type RunAs } from '../run_program.js'

/** What serves one connection. */
export const builtBackupCommand = [process.execPath, join(buildFolder, 'bin/backup.js')]
/** The same from the sources. */
export const sourceBackupCommand = [
  process.execPath,
  ...typescriptLoaderArgs,
  join(root, 'bin/backup.ts'),
]

/** Jobs that may run at once. */
export const MAX_BACKUP_JOBS = 8

/** Where the worker asks for backups. */
export function backupSocketPath({ path }: Home): string {
  return join(path, 'backup', 'door', 'socket')
}

/** What the program is told: where the home is, and how it gets out. */
export function backupEnv(home: Home, env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
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
export async function openBackupSocket(
  home: Home,
  program: string[],
  as?: RunAs
): Promise<() => Promise<void>> {
  const path = backupSocketPath(home)
  if (!as) await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  return openSocketServer(
    path,
    withParentDeathSignal(program, 'TERM', as),
    backupEnv(home),
    MAX_BACKUP_JOBS
  )
}
