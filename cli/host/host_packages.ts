import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { parseInstallablePackages, chooseDebianMirror, readAptSources } from './apt_sources.ts'
import { hasSystemd, isDebianLike, readOsRelease } from './operating_system.ts'
import type { OsRelease } from './operating_system.ts'
import { runForOutput } from './run_for_output.ts'
import type { LineReporter } from './run_for_output.ts'

interface Need {
  package: string
  /** If one of these files exists, the package counts as installed. */
  paths: string[]
}

const INCUSD_PATHS = ['/usr/libexec/incus/incusd', '/usr/lib/incus/incusd', '/opt/incus/bin/incusd']
/** Package that contains only the Incus daemon. Ubuntu 24.04 does not have it. */
const INCUS_PACKAGE = 'incus-base'
const FULL_INCUS_PACKAGE = 'incus'
const BACKPORTS_SOURCES_PATH = '/etc/apt/sources.list.d/berth-backports.sources'
const DEBIAN_KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg'

const HOST_PACKAGES: Need[] = [
  { package: INCUS_PACKAGE, paths: INCUSD_PATHS },
  { package: 'mount', paths: program('mount') },
  { package: 'lxcfs', paths: program('lxcfs') },
  { package: 'dnsmasq-base', paths: program('dnsmasq') },
  { package: 'nftables', paths: program('nft') },
  { package: 'iproute2', paths: program('ip') },
  { package: 'uidmap', paths: program('newuidmap') },
  { package: 'btrfs-progs', paths: program('btrfs') },
  { package: 'mmdebstrap', paths: program('mmdebstrap') },
  { package: 'debian-archive-keyring', paths: [DEBIAN_KEYRING] },
  { package: 'caddy', paths: program('caddy') },
  { package: 'openssh-client', paths: program('ssh') },
  { package: 'restic', paths: program('restic') },
]

/** Names in Debian 13. */
export const hostPackageNames = HOST_PACKAGES.map((need) => need.package)

export function findIncusd(): string | null {
  return INCUSD_PATHS.find((path) => existsSync(path)) ?? null
}

export function listMissingHostPackages(): string[] {
  return HOST_PACKAGES.filter(({ paths }) => !paths.some((path) => existsSync(path))).map(
    (need) => need.package
  )
}

/**
 * Installs missing packages from the package sources that are configured on this machine. On Debian 12 without Incus,
 * adds the backports of its mirror to them. If a package is missing, needs root and apt.
 * @throws Error if a package cannot be installed
 */
export async function ensureHostPackages({ report }: { report: LineReporter }): Promise<void> {
  const missing = listMissingHostPackages()
  if (missing.length === 0) return
  const release = readOsRelease()
  if (!isDebianLike(release)) {
    throw new Error(
      `This needs Debian 12 or 13, or Ubuntu 24.04 or newer. Install by hand: ${missing.join(', ')}`
    )
  }
  if (process.getuid?.() !== 0) {
    throw new Error(`Run ./berth as root to install ${missing.join(', ')}`)
  }
  // Completes an interrupted installation, because dpkg would install nothing before that. If another apt is running,
  // this fails, and `apt-get install` below waits until the other apt has ended.
  await runForOutput('dpkg', ['--configure', '-a'], { env: quietEnv() }).catch(() => {})
  const backports = missing.includes(INCUS_PACKAGE) && isBookworm(release)
  if (backports) await addBackports(release, report)
  report('Updating the package lists')
  await apt(['update'], report)
  const incus = missing.includes(INCUS_PACKAGE) ? [await incusPackage(release)] : []
  report(`Installing ${missing.join(', ')}`)
  // Prevents Caddy's package from starting a second edge proxy on port 80.
  if (missing.includes('caddy') && hasSystemd())
    await runForOutput('systemctl', ['mask', 'caddy.service'])
  const rest = missing.filter((name) => name !== INCUS_PACKAGE)
  if (rest.length > 0) await install(rest, report)
  if (incus.length > 0) {
    await install([...(backports ? ['-t', 'bookworm-backports'] : []), ...incus], report)
  }
  const left = listMissingHostPackages()
  if (left.length > 0) throw new Error(`Still missing after the installation: ${left.join(', ')}`)
}

function program(name: string): string[] {
  return ['/usr/bin', '/usr/sbin', '/bin', '/sbin'].map((folder) => `${folder}/${name}`)
}

function isBookworm({ id, codename }: OsRelease): boolean {
  return id === 'debian' && codename === 'bookworm'
}

/** The backports of Debian 12 contain Incus. Uses the mirror that this machine uses already. */
async function addBackports(release: OsRelease, report: LineReporter): Promise<void> {
  const sources = await readAptSources()
  if (sources.some((source) => source.suites.includes('bookworm-backports'))) return
  const { archive } = chooseDebianMirror(sources, release)
  report(`Adding bookworm-backports of ${new URL(archive).host}`)
  await writeFile(
    BACKPORTS_SOURCES_PATH,
    [
      'Types: deb',
      `URIs: ${archive}`,
      'Suites: bookworm-backports',
      'Components: main',
      `Signed-By: ${DEBIAN_KEYRING}`,
      '',
    ].join('\n')
  )
}

/** @throws Error with a solution if this distribution has no Incus package */
async function incusPackage(release: OsRelease): Promise<string> {
  const shown = await runForOutput('apt-cache', ['policy', INCUS_PACKAGE, FULL_INCUS_PACKAGE])
  const candidate = parseInstallablePackages(shown).find(
    (name) => name === INCUS_PACKAGE || name === FULL_INCUS_PACKAGE
  )
  if (candidate) return candidate
  throw new Error(
    release.id === 'ubuntu'
      ? 'Incus is in "universe", which is not enabled here: add-apt-repository universe'
      : `${release.id} ${release.codename} has no package ${INCUS_PACKAGE} or ${FULL_INCUS_PACKAGE}`
  )
}

function install(packages: string[], report: LineReporter): Promise<void> {
  const options = ['--yes', '--no-install-recommends', '-o', 'Dpkg::Options::=--force-confold']
  return apt(['install', ...options, ...packages], report)
}

async function apt(args: string[], report: LineReporter): Promise<void> {
  // Waits at most 300 s until another apt process, such as unattended upgrades, has ended.
  await runForOutput('apt-get', ['-o', 'DPkg::Lock::Timeout=300', ...args], {
    env: quietEnv(),
    timeout: 1800,
    onLine: (line) => /^(Setting up|Err:|E:)/.test(line) && report(`  ${line}`),
  })
}

function quietEnv(): NodeJS.ProcessEnv {
  return { ...process.env, DEBIAN_FRONTEND: 'noninteractive', NEEDRESTART_SUSPEND: '1' }
}
