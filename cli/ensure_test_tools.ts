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
  '/usr/bin/pebble': 'pebble',
}

/** Tests are skipped if their tool is not available in this distribution. */
const OPTIONAL_TOOLS: Record<string, string> = {
  '/usr/sbin/postfix': 'postfix',
  '/usr/bin/dkimverify': 'python3-dkim',
  '/usr/bin/aws': 'awscli',
  '/usr/bin/rclone': 'rclone',
  '/usr/bin/restic': 'restic',
  '/usr/bin/s3cmd': 's3cmd',
  '/usr/lib/python3/dist-packages/boto3/__init__.py': 'python3-boto3',
  '/usr/bin/duplicity': 'duplicity',
  '/usr/bin/swaks': 'swaks',
  '/usr/share/php/libphp-phpmailer/src/PHPMailer.php': 'libphp-phpmailer',
  '/usr/lib/python3/dist-packages/openpyxl/__init__.py': 'python3-openpyxl',
  '/usr/bin/fiu-run': 'fiu-utils',
}

export function listMissingTestTools(): string[] {
  return lackingOf(REQUIRED_TOOLS)
}

function lackingOf(tools: Record<string, string>): string[] {
  const lacking = Object.entries(tools).filter(([path]) => !existsSync(path))
  return [...new Set(lacking.map(([, name]) => name))]
}

/**
 * Installs missing packages. Returns their names as text, or `nothing is missing`. Ignores optional packages that
 * cannot be installed.
 * @throws CliError if a required package is missing and cannot be installed
 */
export async function ensureTestTools(): Promise<string> {
  const clients = await installClients()
  const missing = listMissingTestTools()
  if (missing.length === 0) return clients.join(', ') || 'nothing is missing'
  if (!canInstallAptPackages())
    throw new CliError(`Tests need these packages: ${missing.join(', ')}`)
  // Prevents the package from starting an SSH server on port 22 of this machine. Tests start their own servers.
  if (missing.includes('openssh-server') && hasSystemd()) {
    await runProgram(['systemctl', 'mask', 'ssh.service', 'ssh.socket'])
  }
  if (missing.includes('mariadb-server') && hasSystemd()) {
    await runProgram(['systemctl', 'mask', 'mariadb.service'])
  }
  await installAptPackages(missing)
  return [...missing, ...clients].join(', ')
}

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

/** Prevents the Postfix package from starting a mail server on port 25. Tests start their own servers. */
async function keepPostfixQuiet(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-preset-'))
  const preset = join(folder, 'postfix')
  await writeFile(preset, 'postfix postfix/main_mailer_type select No configuration\n')
  await runProgram(['debconf-set-selections', preset])
  await rm(folder, { recursive: true })
  if (hasSystemd()) await runProgram(['systemctl', 'mask', 'postfix.service'])
}
