import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { debianMirror, readAptSources } from './apt_sources.ts'
import { hasSystemd, osRelease } from './machine_facts.ts'
import type { OsRelease } from './machine_facts.ts'
import { run } from './run.ts'
import type { Report } from './run.ts'

/** A program or file that must be there, and the package that brings it. */
interface Need {
  package: string
  /** Any of these paths will do. */
  paths: string[]
}

const INCUSD = ['/usr/libexec/incus/incusd', '/usr/lib/incus/incusd', '/opt/incus/bin/incusd']
const BACKPORTS_FILE = '/etc/apt/sources.list.d/berth-backports.sources'
const DEBIAN_KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg'

const NEEDS: Need[] = [
  { package: 'incus-base', paths: INCUSD },
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
]

/** Path of the Incus daemon; null when it is not installed. */
export function findIncusd(): string | null {
  return INCUSD.find((path) => existsSync(path)) ?? null
}

/** The packages that are not there yet. */
export function missingPackages(): string[] {
  return NEEDS.filter(({ paths }) => !paths.some((path) => existsSync(path))).map(
    (need) => need.package
  )
}

/**
 * Installs what hosting needs from the machine's own package sources. Does nothing when all of it
 * is there. Needs root and apt.
 */
export async function ensurePackages({ report }: { report: Report }): Promise<void> {
  const missing = missingPackages()
  if (missing.length === 0) return
  const release = await osRelease()
  if (!release.families.includes('debian')) {
    throw new Error(
      `This needs Debian 12 or 13, or Ubuntu 24.04 or newer. Install by hand: ${missing.join(', ')}`
    )
  }
  if (process.getuid?.() !== 0) {
    throw new Error(`Installing ${missing.join(', ')} needs root`)
  }
  if (missing.includes('incus-base') && isBookworm(release)) await addBackports(report)
  report('Reading the package lists')
  await apt(['update'], report)
  await ensureIncusCandidate(missing, release)
  report(`Installing ${missing.join(', ')}`)
  const target = missing.includes('incus-base') && isBookworm(release)
  // The package would start a second edge server on port 80.
  if (missing.includes('caddy') && hasSystemd()) await run('systemctl', ['mask', 'caddy.service'])
  const rest = missing.filter((name) => name !== 'incus-base')
  if (rest.length > 0) await install(rest, report)
  if (missing.includes('incus-base')) {
    await install([...(target ? ['-t', 'bookworm-backports'] : []), 'incus-base'], report)
  }
  const left = missingPackages()
  if (left.length > 0) throw new Error(`Still missing after the installation: ${left.join(', ')}`)
}

function program(name: string): string[] {
  return ['/usr/bin', '/usr/sbin', '/bin', '/sbin'].map((folder) => `${folder}/${name}`)
}

function isBookworm({ id, codename }: OsRelease): boolean {
  return id === 'debian' && codename === 'bookworm'
}

/** Debian 12 has Incus in its backports only: the same mirror, one more suite. */
async function addBackports(report: Report): Promise<void> {
  const sources = await readAptSources()
  if (sources.some((source) => source.suites.includes('bookworm-backports'))) return
  const { archive } = debianMirror(sources, 'bookworm')
  report(`Adding bookworm-backports of ${new URL(archive).host}`)
  await writeFile(
    BACKPORTS_FILE,
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

async function ensureIncusCandidate(missing: string[], release: OsRelease): Promise<void> {
  if (!missing.includes('incus-base')) return
  const shown = await run('apt-cache', ['policy', 'incus-base'])
  if (/Candidate: (?!\(none\))/.test(shown)) return
  throw new Error(
    `${release.id} ${release.codename} has no package incus-base. On Ubuntu, enable "universe".`
  )
}

function install(packages: string[], report: Report): Promise<void> {
  const options = ['--yes', '--no-install-recommends', '-o', 'Dpkg::Options::=--force-confold']
  return apt(['install', ...options, ...packages], report)
}

async function apt(args: string[], report: Report): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', NEEDRESTART_SUSPEND: '1' }
  // Another run of apt (unattended upgrades) is waited for.
  await run('apt-get', ['-o', 'DPkg::Lock::Timeout=300', ...args], {
    env,
    timeout: 1800,
    onLine: (line) => /^(Setting up|Err:|E:)/.test(line) && report(`  ${line}`),
  })
}
