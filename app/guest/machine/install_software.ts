import type { ProgressReporter } from '#guest/machine/progress_sender'
import { runWithProgress } from '#guest/machine/run_with_progress'
import { enableService } from '#guest/machine/enable_service'
import type { Machine } from '#packages/machine/main'
import { readScript } from '#packages/machine/read_script'

const INSTALL_SCRIPT = readScript(import.meta, 'install_packages.sh')

async function areInstalled(machine: Machine, names: string[]): Promise<boolean> {
  const argv = ['dpkg-query', '-W', '-f', '${db:Status-Status}\\n', ...names]
  const { code, stdout } = await machine.exec(argv, { cwd: '/', timeout: 30_000 })
  const states = stdout
    .toString()
    .trim()
    .split('\n', names.length + 1)
  return code === 0 && states.every((state) => state === 'installed')
}

/**
 * Installs packages. Idempotent. If another installation is running in the instance, waits for it.
 * @param what beginning of the error message
 * @param besides additional apt arguments, for example `name-` to keep a package out. The check whether all packages
 * are installed ignores them
 */
export async function installAptPackages(
  machine: Machine,
  what: string,
  progress: ProgressReporter,
  names: string[],
  besides: string[] = []
): Promise<void> {
  if (await areInstalled(machine, names)) return
  const argv = ['sh', '-c', INSTALL_SCRIPT, 'berth-packages', ...names, ...besides]
  const env = { DEBIAN_FRONTEND: 'noninteractive', NEEDRESTART_MODE: 'a' }
  await runWithProgress(machine, what, argv, { env, owner: false, timeout: 900_000, ...progress })
}

/** MariaDB listens only inside the instance and starts at boot. */
export async function installMariadb(machine: Machine, progress: ProgressReporter): Promise<void> {
  await installAptPackages(machine, 'The database server could not be installed', progress, [
    'mariadb-server',
  ])
  await enableService(machine, 'The database server did not start', 'mariadb')
}
