import { existsSync } from 'node:fs'
import { canInstall, installPackages } from './packages.js'
import { hasSystemd } from './host/machine_facts.js'
import { CliRefusal } from './home.js'
import { run } from './run.js'

/** Programs that tests call on this machine, and the packages that bring them. Hosting needs none of them. */
const TOOLS: Record<string, string> = {
  '/usr/sbin/sshd': 'openssh-server',
  '/usr/bin/ssh': 'openssh-client',
  '/usr/bin/git': 'git',
  '/usr/bin/ps': 'procps',
  '/usr/bin/script': 'bsdutils',
  '/usr/bin/openssl': 'openssl',
  '/usr/bin/curl': 'curl',
  '/usr/bin/unzip': 'unzip',
  '/usr/bin/vim': 'vim',
  '/usr/bin/htop': 'htop',
  '/usr/sbin/mariadbd': 'mariadb-server',
  '/usr/bin/mariadb': 'mariadb-client',
}

/** What tests need and this machine lacks, as names of packages. */
export function missingTestTools(): string[] {
  const lacking = Object.entries(TOOLS).filter(([path]) => !existsSync(path))
  return [...new Set(lacking.map(([, name]) => name))]
}

/** Installs what tests call, from the system's packages. Throws with what to do where that cannot be. */
export async function ensureTestTools(): Promise<string> {
  const missing = missingTestTools()
  if (missing.length === 0) return 'all there'
  if (!canInstall()) throw new CliRefusal(`Tests need these packages: ${missing.join(', ')}`)
  // Tests start servers of their own; the package's would open this machine's port 22.
  if (missing.includes('openssh-server') && hasSystemd()) {
    await run(['systemctl', 'mask', 'ssh.service', 'ssh.socket'])
  }
  if (missing.includes('mariadb-server') && hasSystemd()) {
    await run(['systemctl', 'mask', 'mariadb.service'])
  }
  await installPackages(missing)
  return missing.join(', ')
}
