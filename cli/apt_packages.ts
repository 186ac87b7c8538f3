import { CliError } from './berth_home.js'
import { parseInstallablePackages } from './host/apt_sources.js'
import { isDebianLike } from './host/operating_system.js'
import { runProgram } from './run_program.js'

const apt = ['apt-get', '-o', 'DPkg::Lock::Timeout=300', '-y', '-q']

/** Only root can, and only on Debian or a derivative. */
export function canInstallAptPackages(): boolean {
  return process.getuid?.() === 0 && isDebianLike()
}

/** If apt does not know some of the packages, first runs `apt-get update`. */
export async function listInstallableAptPackages(names: string[]): Promise<string[]> {
  if (names.length === 0) return []
  const env = { ...process.env, LC_ALL: 'C' }
  const ask = async () =>
    parseInstallablePackages((await runProgram(['apt-cache', 'policy', ...names], { env })).output)
  const known = await ask()
  if (known.length === names.length) return known
  await runProgram([...apt, 'update'])
  return ask()
}

/**
 * Installs packages. If that fails, updates the package lists and tries again. Does nothing if this process cannot
 * install packages.
 * @throws Error with the end of apt's output
 */
export async function installAptPackages(names: string[]): Promise<void> {
  if (!canInstallAptPackages()) return
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const install = [...apt, 'install', '--no-install-recommends', ...names]
  if ((await runProgram(install, { env })).code === 0) return
  await runProgram([...apt, 'update'], { env })
  const { code, output } = await runProgram(install, { env })
  if (code !== 0) {
    throw new CliError(
      `apt-get install ${names.join(' ')} failed\n${output.trim().split('\n').slice(-15).join('\n')}`
    )
  }
}
