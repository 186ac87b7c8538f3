import { existsSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { buildFolder, readBuildFingerprint, ensureBuild } from '../build.js'
import { CliError } from '../berth_home.js'
import { hostPackageNames } from '../host/host_packages.js'
import { installRoot, type ReleaseManifest } from '../paths.js'
import { runOrThrow, runProgram } from '../run_program.js'
import { print, runStep } from '../print.js'
import { settingsTemplate } from '../service/settings_file.js'

const INSTALL_FOLDER = 'usr/lib/berth'
const RUNTIME_LIBRARIES = ['libc6', 'libgcc-s1', 'libstdc++6', 'zlib1g']
/** Dependencies of the `berth` package, besides libraries and the packages that a host needs. */
const REQUIRED_PACKAGES = [
  'passwd',
  'util-linux',
  'systemd',
  'ca-certificates',
  'postgresql (>= 15)',
]

/**
 * The package contains npm packages and Node, so that an installation downloads only Debian's own packages.
 * @param folder default: `dist/`
 * @throws CliError if dpkg-deb is missing
 */
export async function buildDebianPackage(folder = join(installRoot, 'dist')): Promise<number> {
  if (!existsSync('/usr/bin/dpkg-deb'))
    throw new CliError('dpkg-deb is missing. Install the package dpkg')
  await runStep(
    'Build the console',
    () => ensureBuild(),
    (outcome) => outcome
  )
  const file = await runStep('Build the package', () => writeDebianPackage(resolve(folder)))
  print(`apt install ${file}`)
  return 0
}

/**
 * An installation can be upgraded to the folder.
 * @throws CliError if the folder exists
 */
export async function buildRelease(folder: string): Promise<number> {
  const releaseFolder = resolve(folder)
  if (existsSync(releaseFolder)) throw new CliError(`${releaseFolder} already exists`)
  await runStep(
    'Build the console',
    () => ensureBuild(),
    (outcome) => outcome
  )
  const { version } = await runStep('Assemble the release', () => assembleRelease(releaseFolder))
  print(`Release ${version} is in ${releaseFolder}`)
  return 0
}

export async function writeDebianPackage(folder: string): Promise<string> {
  const stage = await mkdtemp(join(tmpdir(), 'berth-package-'))
  try {
    await chmod(stage, 0o755)
    const version = await computePackageVersion()
    const architecture = (await runOrThrow(['dpkg', '--print-architecture'])).trim()
    await layOutTree(stage, version)
    await writeControl(stage, { version, architecture })
    await mkdir(folder, { recursive: true })
    const file = join(folder, `berth_${version}_${architecture}.deb`)
    const how = ['--root-owner-group', '-Zzstd', '-z3']
    await runOrThrow(['dpkg-deb', ...how, '--build', stage, file])
    return file
  } finally {
    await rm(stage, { recursive: true, force: true })
  }
}

/**
 * Returns the version in package.json, with the time and hash of the commit unless Git fails. dpkg sorts later commits
 * as newer versions.
 */
export async function computePackageVersion(): Promise<string> {
  const { version } = JSON.parse(await readFile(join(installRoot, 'package.json'), 'utf8')) as {
    version: string
  }
  const commit = await runProgram(['git', 'log', '-1', '--format=%ct.%h'])
  return commit.code === 0 ? `${version}+${commit.output.trim()}` : version
}

async function builtVersion(): Promise<string> {
  return `${await computePackageVersion()}.${await readBuildFingerprint()}`
}

/** Copies everything that an installation needs: the build, npm packages and Node. The build must exist. */
export async function assembleRelease(
  releaseFolder: string,
  version?: string
): Promise<ReleaseManifest> {
  const manifest = { version: version ?? (await builtVersion()) }
  const copy = ['cp', '-a', '--reflink=auto']
  await mkdir(join(releaseFolder, 'node/bin'), { recursive: true })
  await runOrThrow([...copy, buildFolder, join(releaseFolder, 'build')])
  // Copies all 20,000 files of npm packages with one call, including those of nested packages.
  await runOrThrow([...copy, '--parents', '-t', releaseFolder, ...(await packagesServing())], {
    cwd: installRoot,
  })
  await runOrThrow([
    'find',
    join(releaseFolder, 'node_modules'),
    '-type',
    'f',
    ...READ_BY_TOOLS,
    '-delete',
  ])
  await cp(process.execPath, join(releaseFolder, 'node/bin/node'))
  // Running processes read the version of the release from this package.json.
  const described = JSON.parse(await readFile(join(installRoot, 'package.json'), 'utf8')) as object
  for (const folder of [releaseFolder, join(releaseFolder, 'build')]) {
    await writeFile(join(folder, 'package.json'), json({ ...described, ...manifest }))
  }
  await writeFile(join(releaseFolder, 'release.json'), json(manifest))
  // The builder's umask may have made files unreadable for other users.
  await runOrThrow(['chmod', '-R', 'u=rwX,go=rX', releaseFolder])
  return manifest
}

const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`

async function layOutTree(stage: string, version: string): Promise<void> {
  await assembleRelease(join(stage, INSTALL_FOLDER), version)

  await mkdir(join(stage, 'usr/bin'), { recursive: true })
  await copyScript('berth', join(stage, 'usr/bin/berth'))
  await mkdir(join(stage, 'etc/berth'), { recursive: true })
  await writeFile(join(stage, 'etc/berth/berth.conf'), settingsTemplate, { mode: 0o600 })
  const guides = join(stage, 'usr/share/doc/berth')
  await mkdir(dirname(guides), { recursive: true })
  await cp(join(installRoot, 'docs/guides'), guides, { recursive: true })
}

/**
 * Types and source maps in npm packages, as an expression for find(1). Running processes do not need these 9,000 files.
 */
const READ_BY_TOOLS = [
  '(',
  '-name',
  '*.d.?ts',
  '-o',
  '-name',
  '*.d.ts',
  '-o',
  '-name',
  '*.map',
  ')',
]

const TOP_LEVEL_PACKAGE_PATTERN = /^node_modules\/(@[^/]+\/)?[^/]+$/

interface Locked {
  dev?: boolean
  devOptional?: boolean
}

/** Only the top level, without development dependencies. */
async function packagesServing(): Promise<string[]> {
  const { packages } = JSON.parse(
    await readFile(join(installRoot, 'package-lock.json'), 'utf8')
  ) as {
    packages: Record<string, Locked>
  }
  return Object.entries(packages)
    .filter(
      ([path, { dev, devOptional }]) => !dev && !devOptional && TOP_LEVEL_PACKAGE_PATTERN.test(path)
    )
    .map(([path]) => path)
    .filter((path) => existsSync(join(installRoot, path)))
}

/** @param name the `berth` command, or a maintainer script (deb-preinst(5) and others) */
async function copyScript(name: string, path: string): Promise<void> {
  await cp(join(import.meta.dirname, `${name}.sh`), path)
  await chmod(path, 0o755)
}

async function writeControl(
  stage: string,
  { version, architecture }: { version: string; architecture: string }
): Promise<void> {
  const folder = join(stage, 'DEBIAN')
  await mkdir(folder)
  const size = (await runOrThrow(['du', '-sk', '--exclude=DEBIAN', stage])).split('\t')[0]
  // Ubuntu 24.04 has no separate package for only the Incus daemon.
  const host = hostPackageNames.map((name) => (name === 'incus-base' ? 'incus-base | incus' : name))
  const control = [
    'Package: berth',
    `Version: ${version}`,
    `Architecture: ${architecture}`,
    'Maintainer: Berth <berth@localhost>',
    `Installed-Size: ${size}`,
    `Depends: ${[...RUNTIME_LIBRARIES, ...REQUIRED_PACKAGES, ...host].join(', ')}`,
    'Section: admin',
    'Priority: optional',
    'Description: turns Linux machines into a hosting business',
    ' Servers, a terminal, files, git and sites in the browser for customers; hosts,',
    ' instances and people for staff. Instances are Incus containers.',
    '',
  ]
  await writeFile(join(folder, 'control'), control.join('\n'))
  await writeFile(join(folder, 'conffiles'), '/etc/berth/berth.conf\n')
  await writeFile(join(folder, 'triggers'), 'interest-noawait /usr/lib/postgresql\n')
  for (const name of ['preinst', 'postinst', 'prerm', 'postrm']) {
    await copyScript(name, join(folder, name))
  }
}
