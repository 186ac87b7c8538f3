import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { withFileLock, writePrivateJson } from './berth_home.js'
import { heapLimitArgs } from './heap_limits.js'
import { installRoot, programPath, typescriptCompiler } from './paths.js'
import { runOrThrow, runProgram } from './run_program.js'
import { runStep } from './print.js'

/** Where the build stands that the processes run from. */
export const buildFolder = join(installRoot, 'build')

const stampFile = join(buildFolder, 'berth-build.json')

/** What every part is built with. */
const tools = ['package-lock.json', 'package.json', 'tsconfig.json']

/** What is built apart: made anew only when what it is made from has changed. */
const parts = {
  /** What browsers get, and what renders it on the server. Of the server they know nothing but types. */
  pages: {
    sources: [
      ...tools,
      'vite.config.ts',
      'adonisrc.ts',
      'inertia',
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

/** A part of the build. */
export type BuildPart = keyof typeof parts

/** All of it, as the processes need it. */
export const allBuildParts = Object.keys(parts) as BuildPart[]

/** Among the sources, what is made by what they are built into, and what belongs to the pages. */
const generatedPaths = ['public/assets/', 'bench/results/']

/** Hash over names and contents of all files that a part of the build is made from; tests and results apart. */
async function sourceHash(part: BuildPart): Promise<string> {
  const hash = createHash('sha256').update(process.version)
  for (const file of await listFiles(parts[part].sources)) {
    const content = await readFile(join(installRoot, file)).catch(() => undefined)
    if (content) hash.update(`\0${file}\0`).update(content)
  }
  return hash.digest('hex')
}

async function listFiles(sources: string[]): Promise<string[]> {
  const argv = ['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard', '--']
  const listed = await runProgram([...argv, ...sources], { cwd: installRoot })
  // A copy without git (an archive) has the same files; only the listing differs.
  const there = sources.filter((name) => existsSync(join(installRoot, name)))
  const output =
    listed.code === 0 && listed.output
      ? listed.output
      : await runOrThrow(['find', ...there, '-type', 'f', '-print0'], { cwd: installRoot })
  return [...new Set(output.split('\0'))]
    .filter(
      (file) =>
        file &&
        !/\.(spec|test)\.tsx?$/.test(file) &&
        !generatedPaths.some((at) => file.startsWith(at))
    )
    .sort()
}

/** From which sources each part that is there was made. */
async function readStamps(): Promise<Partial<Record<BuildPart, string>>> {
  if (!existsSync(stampFile)) return {}
  return JSON.parse(await readFile(stampFile, 'utf8')) as Partial<Record<BuildPart, string>>
}

/** Tells builds from each other by the sources that they were made from. */
export async function computeBuildFingerprint(): Promise<string> {
  const { pages, server } = await readStamps()
  return createHash('sha256').update(`${pages} ${server}`).digest('hex').slice(0, 8)
}

/** Of some parts, those whose sources are others than they were made from. */
async function stale(wanted: BuildPart[]): Promise<BuildPart[]> {
  const stamps = await readStamps()
  const hashes = await Promise.all(wanted.map(sourceHash))
  return wanted.filter((part, index) => stamps[part] !== hashes[index])
}

/**
 * Builds of the pages (browser and server side) and of the server's sources what changed since the
 * last build. Gives the names of the parts that were built, in words.
 */
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
  await parts[part].make()
  await stamp(part, hash)
}

let stamping = Promise.resolve()

/** Both parts may be done at the same time. */
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

/** Types are checked by `./berth check`; a machine that only wants to serve need not wait for that. */
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
}

/**
 * Builds what changed and goes on as the same command from the build: what reads the sources alone
 * holds 80 MB for as long as it runs. Does not return.
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
