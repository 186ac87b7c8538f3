import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  canInstallAptPackages,
  listInstallableAptPackages,
  installAptPackages,
} from './apt_packages.js'
import { hasSystemd } from './host/operating_system.js'
import { CliError } from './berth_home.js'
import { runProgram } from './run_program.js'

/** Programs that tests call on this machine, and the packages that bring them. Hosting needs none of them. */
const REQUIRED_TOOLS: Record<string, string> = {
  '/usr/sbin/sshd': 'openssh-server',
  '/usr/bin/ssh': 'openssh-client',
  '/usr/bin/git': 'git',
  '/usr/bin/ps': 'procps',
  '/usr/bin/script': 'bsdutils',
  '/usr/bin/openssl': 'openssl',
  '/usr/bin/curl': 'curl',
  '/usr/bin/unzip': 'unzip',
  '/usr/bin/pdftotext': 'poppler-utils',
  '/usr/bin/vim': 'vim',
  '/usr/bin/htop': 'htop',
  '/usr/sbin/mariadbd': 'mariadb-server',
  '/usr/bin/mariadb': 'mariadb-client',
  '/usr/bin/php': 'php-cli',
  '/var/lib/dpkg/info/php-curl.list': 'php-curl',
  '/usr/bin/python3': 'python3',
}

/** Other people's clients of S3, servers and readers of mail, writers of workbooks, and what breaks a disk. Not every distribution has each; its test says when it is missing. */
const OPTIONAL_TOOLS: Record<string, string> = {
  '/usr/sbin/postfix': 'postfix',
  '/usr/bin/dkimverify': 'python3-dkim',
  '/usr/bin/aws': 'awscli',
  '/usr/bin/rclone': 'rclone',
  '/usr/bin/restic': 'restic',
  '/usr/bin/s3cmd': 's3cmd',
  '/usr/lib/python3/dist-packages/openpyxl/__init__.py': 'python3-openpyxl',
  // Makes calls of a process fail, as those of a broken disk do.
  '/usr/bin/fiu-run': 'fiu-utils',
}

/** What tests need and this machine lacks, as names of packages. */
export function listMissingTestTools(): string[] {
  return lackingOf(REQUIRED_TOOLS)
}

function lackingOf(tools: Record<string, string>): string[] {
  const lacking = Object.entries(tools).filter(([path]) => !existsSync(path))
  return [...new Set(lacking.map(([, name]) => name))]
}

/** Installs what tests call, from the system's packages. Throws with what to do where that cannot be. */
export async function ensureTestTools(): Promise<string> {
  const clients = await installClients()
  const missing = listMissingTestTools()
  if (missing.length === 0) return clients.join(', ') || 'nothing is missing'
  if (!canInstallAptPackages())
    throw new CliError(`Tests need these packages: ${missing.join(', ')}`)
  // Tests start servers of their own; the package's would open this machine's port 22.
  if (missing.includes('openssh-server') && hasSystemd()) {
    await runProgram(['systemctl', 'mask', 'ssh.service', 'ssh.socket'])
  }
  if (missing.includes('mariadb-server') && hasSystemd()) {
    await runProgram(['systemctl', 'mask', 'mariadb.service'])
  }
  await installAptPackages(missing)
  return [...missing, ...clients].join(', ')
}

/** Installs the clients that this distribution offers. Returns the names of their packages. */
async function installClients(): Promise<string[]> {
  if (!canInstallAptPackages()) return []
  const names = await listInstallableAptPackages(lackingOf(OPTIONAL_TOOLS))
  if (names.length === 0) return []
  if (names.includes('postfix')) await keepPostfixQuiet()
  return installAptPackages(names).then(
    () => names,
    () => []
  )
}

/** Tests start one of their own; the package's would take this machine's port 25. */
async function keepPostfixQuiet(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-preset-'))
  const preset = join(folder, 'postfix')
  await writeFile(preset, 'postfix postfix/main_mailer_type select No configuration\n')
  await runProgram(['debconf-set-selections', preset])
  await rm(folder, { recursive: true })
  if (hasSystemd()) await runProgram(['systemctl', 'mask', 'postfix.service'])
}
