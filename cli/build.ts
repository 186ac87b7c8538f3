import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { withFileLock, writePrivateJson } from './berth_home.js'
import { heapLimitArgs } from './heap_limits.js'
import { installRoot, programPath, typescriptCompiler } from './paths.js'
import { runOrThrow, runProgram } from './run_program.js'
import { runStep } from './print.js'

export const buildFolder = join(installRoot, 'build')

const stampFile = join(buildFolder, 'berth-build.json')

const tools = ['package-lock.json', 'package.json', 'tsconfig.json']

export const buildParts = {
  /** Browser bundles, and the code that renders pages on the server. Both import only types from the server's code. */
  pages: {
    sources: [
      ...tools,
      'vite.config.ts',
      'adonisrc.ts',
      'inertia',
      'packages/text',
      'packages/ui',
      'public',
      'packages/terminal-gateway/protocol.ts',
    ],
    make: buildPages,
  },
  server: {
    sources: [
      ...tools,
      'tsconfig.build.json',
      'adonisrc.ts',
      'app',
      'bench',
      'bin',
      'cli',
      'commands',
      'config',
      'database',
      'packages',
      'providers',
      'resources',
      'start',
    ],
    make: buildServer,
  },
}

export type BuildPart = keyof typeof buildParts

export const allBuildParts = Object.keys(buildParts) as BuildPart[]

/** Generated files inside source folders. They must not count as changed sources. */
const generatedPaths = [
  'public/assets/',
  'bench/results/',
  'app/core/page_addresses.ts',
  'inertia/page_files.ts',
]

async function sourceHash(part: BuildPart): Promise<string> {
  const hash = createHash('sha256').update(process.version)
  for (const file of await listSourceFiles(buildParts[part].sources)) {
    const content = await readFile(join(installRoot, file)).catch(() => undefined)
    if (content) hash.update(`\0${file}\0`).update(content)
  }
  return hash.digest('hex')
}

/**
 * Lists source files except test files (`*.spec.ts`, `*.test.ts`) and generated files. Uses Git, which skips ignored
 * files. Without Git, or if another user owns the checkout, uses `find`, which lists all files.
 */
export async function listSourceFiles(sources: string[], root = installRoot): Promise<string[]> {
  const argv = ['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard', '--']
  const listed = await runProgram([...argv, ...sources], { cwd: root })
  const there = sources.filter((name) => existsSync(join(root, name)))
  const output =
    listed.code === 0 && listed.output
      ? listed.output
      : await runOrThrow(['find', ...there, '-type', 'f', '-print0'], { cwd: root })
  return [...new Set(output.split('\0'))]
    .filter(
      (file) =>
        file &&
        !/\.(spec|test)\.tsx?$/.test(file) &&
        !generatedPaths.some((at) => file.startsWith(at))
    )
    .sort()
}

async function readStamps(): Promise<Partial<Record<BuildPart, string>>> {
  if (!existsSync(stampFile)) return {}
  return JSON.parse(await readFile(stampFile, 'utf8')) as Partial<Record<BuildPart, string>>
}

export async function readBuildFingerprint(): Promise<string> {
  const { pages, server } = await readStamps()
  return createHash('sha256').update(`${pages} ${server}`).digest('hex').slice(0, 8)
}

async function stale(wanted: BuildPart[]): Promise<BuildPart[]> {
  const stamps = await readStamps()
  const hashes = await Promise.all(wanted.map(sourceHash))
  return wanted.filter((part, index) => stamps[part] !== hashes[index])
}

export async function ensureBuild(wanted = allBuildParts): Promise<string> {
  if ((await stale(wanted)).length === 0) return 'unchanged'
  return withFileLock(join(installRoot, 'node_modules/.berth-build.pid'), async () => {
    const changed = await stale(wanted)
    await Promise.all(changed.map(build))
    return changed.join(' and ') || 'unchanged'
  })
}

async function build(part: BuildPart): Promise<void> {
  const hash = await sourceHash(part)
  await stamp(part, undefined)
  await buildParts[part].make()
  await stamp(part, hash)
}

let stamping = Promise.resolve()

/**
 * Saves the fingerprint of a built part, or removes it (`undefined`). Both parts may be built at the same time, so
 * their writes wait for each other.
 */
function stamp(part: BuildPart, hash: string | undefined): Promise<void> {
  stamping = stamping.then(async () => {
    await mkdir(buildFolder, { recursive: true })
    await writePrivateJson(stampFile, { ...(await readStamps()), [part]: hash })
  })
  return stamping
}

async function buildPages(): Promise<void> {
  await runOrThrow([process.execPath, programPath('vite'), 'build', '--app'], {
    env: { ...process.env, NODE_ENV: 'production' },
  })
  for (const folder of ['public', 'ssr']) {
    await rm(join(buildFolder, folder), { recursive: true, force: true })
    await cp(join(installRoot, folder), join(buildFolder, folder), { recursive: true })
  }
}

/** Builds the server without checking types, so that it starts sooner. `./berth check` checks them. */
async function buildServer(): Promise<void> {
  await mkdir(buildFolder, { recursive: true })
  const others = ['public', 'ssr', 'berth-build.json']
  for (const name of await readdir(buildFolder)) {
    if (!others.includes(name)) await rm(join(buildFolder, name), { recursive: true })
  }
  await runOrThrow([process.execPath, typescriptCompiler, '--project', 'tsconfig.build.json'])
  for (const name of ['package.json', 'resources']) {
    await cp(join(installRoot, name), join(buildFolder, name), { recursive: true })
  }
  for (const file of await listSourceFiles(buildParts.server.sources)) {
    if (!SCRIPT_PATTERN.test(file) || file.includes('/tests/')) continue
    // Git also lists files that were deleted without staging the deletion.
    if (!existsSync(join(installRoot, file))) continue
    await cp(join(installRoot, file), join(buildFolder, file))
  }
}

const SCRIPT_PATTERN = /\.(sh|bash|php|pl|mjs)$/

/**
 * Builds Berth, and replaces this process by the same command of the build. Running from the sources would need 80 MB
 * more memory.
 */
export async function reexecFromBuild(): Promise<void> {
  await runStep(
    'Build the console',
    () => ensureBuild(),
    (outcome) => outcome
  )
  const program = join(buildFolder, 'cli/main.js')
  process.execve!(process.execPath, [
    process.execPath,
    ...heapLimitArgs('command'),
    program,
    ...process.argv.slice(2),
  ])
}
