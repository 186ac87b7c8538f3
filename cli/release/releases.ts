import { existsSync, readFileSync, realpathSync } from 'node:fs'
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { CliError, type BerthHome } from '../berth_home.js'
import { heapLimitArgs } from '../heap_limits.js'
import { assembleRelease } from '../debian_package/build.js'
import { installSourcePath, readReleaseManifest, installRoot } from '../paths.js'
import { runOrThrow, runProgram } from '../run_program.js'
import { runStep } from '../print.js'

/** A built version of Berth, ready to run. */
export interface Release {
  /** Contains `build/`, `node_modules/`, `node/` and `release.json`. */
  path: string
  version: string
}

/** Number of releases to keep, including the running and the previous one. More are kept if they are in use. */
const RETAINED_RELEASES = 3
const VERSION_PATTERN = /^[\w.+~-]+$/

export function releasesFolder({ path }: Pick<BerthHome, 'path'>): string {
  return join(path, 'releases')
}

/** `current` is the running release, `before` the previous one. Undefined if the link does not exist. */
export function findLinkedRelease(
  home: Pick<BerthHome, 'path'>,
  link: 'current' | 'before'
): Release | undefined {
  const at = join(releasesFolder(home), link)
  return existsSync(at) ? readReleaseAt(realpathSync(at)) : undefined
}

/** The folder may also be a checkout that runs from its own build. */
export function readReleaseAt(path: string): Release {
  const version = readReleaseManifest(path)?.version
  if (version) return { path, version }
  const file = join(path, 'package.json')
  const described = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  return { path, version: (described as { version?: string }).version ?? basename(path) }
}

/** The change of the link is atomic. */
export async function linkRelease(
  home: Pick<BerthHome, 'path'>,
  link: 'current' | 'before',
  { path }: Release
): Promise<void> {
  const folder = releasesFolder(home)
  await mkdir(folder, { recursive: true })
  await chmod(folder, 0o755)
  const draft = join(folder, `.${link}.${process.pid}`)
  await rm(draft, { force: true })
  await symlink(path, draft)
  await rename(draft, join(folder, link))
}

/** Makes the link `current` lead to a release, and the link `before` to the release that was current until now. */
export async function activateRelease(home: BerthHome, release: Release): Promise<void> {
  const was = findLinkedRelease(home, 'current')
  if (was?.path === release.path) return
  if (was) await linkRelease(home, 'before', was)
  await linkRelease(home, 'current', release)
}

/** Does not return. */
export function reexecFromRelease(release: Release, args = process.argv.slice(2)): void {
  const [program, ...rest] = releaseCommand(release)
  process.execve!(program, [program, ...heapLimitArgs('command'), ...rest, ...args])
}

export function releaseCommand({ path }: Release): string[] {
  const own = ['node/bin/node', '.node/bin/node'].map((node) => join(path, node))
  return [own.find((node) => existsSync(node)) ?? process.execPath, join(path, 'build/cli/main.js')]
}

/**
 * Running processes are not affected.
 * @param source a package (`.deb`), an archive, or a folder with a checkout or a built release. A checkout is built
 * with the tools that it contains
 * @throws CliError if the source is not a version of Berth
 */
export async function makeRelease(home: BerthHome, source: string): Promise<Release> {
  const folder = releasesFolder(home)
  await mkdir(folder, { recursive: true })
  await chmod(folder, 0o755)
  const work = await mkdtemp(join(folder, '.new-'))
  await chmod(work, 0o755)
  try {
    const sourceFolder = await unpack(resolve(source), join(work, 'unpacked'))
    const existing = findExistingRelease(folder, sourceFolder)
    if (existing) return existing
    const tree = join(work, 'release')
    if (isRelease(sourceFolder)) {
      if (sourceFolder.startsWith(`${work}/`)) await rename(sourceFolder, tree)
      else await copyRelease(sourceFolder, tree)
    } else if (sourceFolder === installRoot && isRunningFrom(installRoot)) {
      await runStep('Assemble the release', () => assembleRelease(tree))
    } else {
      await buildThere(sourceFolder, tree, work)
    }
    const { version } = readReleaseManifest(tree)!
    if (!VERSION_PATTERN.test(version)) throw new CliError(`${version} is not a version`)
    await rm(join(tree, 'release.json'))
    await writeFile(
      join(tree, 'release.json'),
      JSON.stringify({ version, from: installSourcePath }, null, 2)
    )
    await assertRuns({ path: tree, version })
    const release = { path: join(folder, version), version }
    if (!isRelease(release.path)) {
      // If the removal of an earlier release with this version was interrupted, deletes the remaining files.
      await rm(release.path, { recursive: true, force: true })
      await rename(tree, release.path)
      await shareFiles(home, release)
    }
    return release
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/**
 * If the source is a built release, returns the existing release with the same version, which need not be copied again.
 * Undefined if there is none, or if the source is a checkout.
 */
function findExistingRelease(folder: string, sourceFolder: string): Release | undefined {
  if (!isRelease(sourceFolder)) return undefined
  const { version } = readReleaseManifest(sourceFolder)!
  const path = join(folder, version)
  return VERSION_PATTERN.test(version) && isRelease(path) ? { path, version } : undefined
}

/**
 * For an installed package, creates hard links to its files. That is safe, because dpkg replaces files and never writes
 * into existing ones.
 */
async function copyRelease(sourceFolder: string, tree: string): Promise<void> {
  if (
    sourceFolder === '/usr/lib/berth' &&
    (await runProgram(['cp', '-al', sourceFolder, tree])).code === 0
  )
    return
  await rm(tree, { recursive: true, force: true })
  await runOrThrow(['cp', '-a', '--reflink=auto', sourceFolder, tree])
}

/**
 * Saves disk space: replaces files that equal those of the current or previous release by hard links. Most of them
 * belong to npm packages and Node, and are never changed. If linking fails (another disk, too many links), the release
 * keeps its own files. Never links to files of a checkout: it contains homes, and PostgreSQL would write into files
 * that another home shares.
 */
async function shareFiles(home: BerthHome, release: Release): Promise<void> {
  const links = (['current', 'before'] as const).map((link) => findLinkedRelease(home, link)?.path)
  const folder = dirname(realpathSync(release.path))
  const others = links.filter(
    (path): path is string =>
      path !== undefined && path !== release.path && dirname(path) === folder
  )
  if (others.length)
    await runProgram(['hardlink', '--quiet', '--ignore-time', ...others, release.path])
}

/** Returns whether this process runs from the checkout's build. If so, that build is up to date. */
function isRunningFrom(checkout: string): boolean {
  return import.meta.filename.startsWith(join(checkout, 'build/'))
}

function isRelease(folder: string): boolean {
  return Boolean(readReleaseManifest(folder)) && existsSync(join(folder, 'build/cli/main.js'))
}

async function unpack(source: string, into: string): Promise<string> {
  const stats = await stat(source).catch(() => undefined)
  if (!stats) throw new CliError(`${source} does not exist`)
  if (stats.isDirectory()) return requireSourceFolder(realpathSync(source))
  await mkdir(into)
  if (source.endsWith('.deb')) {
    await runOrThrow(['dpkg-deb', '--extract', source, into])
    return requireSourceFolder(join(into, 'usr/lib/berth'))
  }
  await runOrThrow(['tar', '--extract', '--no-same-owner', '--file', source, '--directory', into])
  const names = await readdir(into)
  return requireSourceFolder(names.length === 1 ? join(into, names[0]) : into)
}

function requireSourceFolder(folder: string): string {
  if (isRelease(folder) || existsSync(join(folder, 'cli/main.ts'))) return folder
  throw new CliError(
    `${folder} is not a release of Berth. Name a package, an archive, or a folder with a checkout or a release`
  )
}

/** Builds a copy of the checkout, because running processes may use the checkout's own build. */
async function buildThere(checkout: string, tree: string, work: string): Promise<void> {
  const workingCopy = checkout === installSourcePath ? join(work, 'sources') : checkout
  if (workingCopy !== checkout)
    await runStep('Copy the sources', () => copySources(checkout, workingCopy))
  await runStep('Build the release', () =>
    runOrThrow([join(workingCopy, 'berth'), 'package', '--tree', tree], { cwd: workingCopy })
  )
}

/** Also copies npm packages, Node and the Git folder, so that the copy need not install them. */
async function copySources(checkout: string, destination: string): Promise<void> {
  await mkdir(destination)
  const ls = ['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const listed = await runProgram(ls, { cwd: checkout })
  if (listed.code !== 0) throw new CliError(`${checkout} is not a git clone. Name a source`)
  const files = [...new Set(listed.output.split('\0'))].filter((file) =>
    existsSync(join(checkout, file))
  )
  const copy = ['cp', '-a', '--reflink=auto']
  for (let at = 0; at < files.length; at += 500) {
    const some = files.slice(at, at + 500).filter(Boolean)
    await runOrThrow([...copy, '--parents', '-t', destination, '--', ...some], { cwd: checkout })
  }
  for (const name of ['node_modules', '.node', '.git']) {
    if (existsSync(join(checkout, name)))
      await runOrThrow([...copy, join(checkout, name), join(destination, name)])
  }
}

/** @throws CliError if the release's `berth` command cannot run on this machine */
async function assertRuns(release: Release): Promise<void> {
  const { code, output } = await runProgram([...releaseCommand(release), 'help'], { cwd: '/' })
  if (code !== 0)
    throw new CliError(`${release.version} does not run on this machine:\n${output.trim()}`)
}

/**
 * Prefix of the name of a release's folder during its removal. Because of the leading dot, lists of releases do not
 * contain it.
 */
const REMOVED_RELEASE_PREFIX = '.old-'

/**
 * Removes old releases. Keeps those to which a link leads, those in use, and this process's own. If these are fewer
 * than `RETAINED_RELEASES`, also keeps the newest others.
 * @returns the versions of the removed releases
 */
export async function pruneReleases(home: BerthHome, inUse: string[]): Promise<string[]> {
  const folder = realpathSync(releasesFolder(home))
  const links = (['current', 'before'] as const).map((link) => findLinkedRelease(home, link)?.path)
  const needed = new Set([...links, ...inUse, installRoot])
  const names = (await readdir(folder, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .filter(({ name }) => readReleaseManifest(join(folder, name)))
    .map(({ name }) => name)
  const dated = await Promise.all(
    names.map(async (name) => ({ name, at: (await stat(join(folder, name))).ctimeMs }))
  )
  const neededCount = names.filter((name) => needed.has(join(folder, name))).length
  const others = dated
    .filter(({ name }) => !needed.has(join(folder, name)))
    .sort((one, other) => other.at - one.at)
    .slice(Math.max(0, RETAINED_RELEASES - neededCount))
  for (const { name } of others) {
    // Renames the release's folder first. If the removal is interrupted, no incomplete release is left under the old
    // name.
    const removed = join(folder, `${REMOVED_RELEASE_PREFIX}${name}`)
    await rm(removed, { recursive: true, force: true })
    await rename(join(folder, name), removed)
    await rm(removed, { recursive: true, force: true })
  }
  return others.map(({ name }) => name)
}

export function runningRelease(): Release {
  return readReleaseAt(installRoot)
}

/** @param cwd working directory of a process that runs from the release's build */
export function releaseOfBuildFolder(cwd: string): Release {
  return readReleaseAt(dirname(cwd))
}
