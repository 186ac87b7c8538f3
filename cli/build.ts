import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { inTurn, writePrivate } from './home.js'
import { heap } from './heaps.js'
import { root } from './paths.js'
import { must, run } from './run.js'
import { step } from './say.js'

/** Where the build stands that the processes run from. */
export const buildFolder = join(root, 'build')

const stampFile = join(buildFolder, 'berth-build.json')
const sources = [
  'adonisrc.ts',
  'app',
  'bench',
  'bin',
  'cli',
  'commands',
  'config',
  'database',
  'inertia',
  'package-lock.json',
  'package.json',
  'packages',
  'providers',
  'public',
  'resources',
  'start',
  'tsconfig.json',
  'vite.config.ts',
]

/** Among them, what is made by what they are built into. */
const made = ['public/assets/', 'bench/results/']

/** Hash over names and contents of all files that a build is made from; tests and results apart. */
export async function sourceHash(folder = root): Promise<string> {
  const files = await listFiles(folder)
  const hash = createHash('sha256').update(process.version)
  for (const file of files) {
    const content = await readFile(join(folder, file)).catch(() => undefined)
    if (content) hash.update(`\0${file}\0`).update(content)
  }
  return hash.digest('hex')
}

async function listFiles(folder: string): Promise<string[]> {
  const argv = ['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard', '--']
  const listed = await run([...argv, ...sources], { cwd: folder })
  // A copy without git (an archive) has the same files; only the listing differs.
  const found =
    listed.code === 0 && listed.output
      ? listed.output.split('\0')
      : (
          await must(
            [
              'find',
              ...sources.filter((name) => existsSync(join(folder, name))),
              '-type',
              'f',
              '-print0',
            ],
            { cwd: folder }
          )
        ).split('\0')
  return [...new Set(found)]
    .filter(
      (file) =>
        file && !/\.(spec|test)\.tsx?$/.test(file) && !made.some((at) => file.startsWith(at))
    )
    .sort()
}

/** True when the build folder was made from exactly the present sources. */
export async function buildIsCurrent(): Promise<boolean> {
  if (!existsSync(stampFile) || !existsSync(join(root, 'public/assets'))) return false
  const { sources: built } = JSON.parse(await readFile(stampFile, 'utf8')) as { sources: string }
  return built === (await sourceHash())
}

/** Builds pages (browser and server side) and the server's sources, if anything changed since the last build. */
export async function ensureBuild(): Promise<'built' | 'unchanged'> {
  if (await buildIsCurrent()) return 'unchanged'
  return inTurn(join(root, 'node_modules/.berth-build.pid'), async () => {
    const wanted = await sourceHash()
    if (await buildIsCurrent()) return 'unchanged'
    await rm(stampFile, { force: true })
    // Types are checked by ./berth check; a machine that only wants to serve need not wait for that.
    const argv = [process.execPath, 'ace.js', 'build', '--ignore-ts-errors']
    await must(argv, { env: { ...process.env, ...buildEnv() } })
    await writePrivate(stampFile, { sources: wanted })
    return 'built'
  })
}

/**
 * Builds what changed and goes on as the same command from the build: what reads the sources alone
 * holds 80 MB for as long as it runs. Does not return.
 */
export async function continueFromBuild(): Promise<void> {
  await step('Build the console', ensureBuild, (outcome) => outcome)
  const program = join(buildFolder, 'cli/main.js')
  process.execve!(process.execPath, [
    process.execPath,
    ...heap('command'),
    program,
    ...process.argv.slice(2),
  ])
}

/** Reading the configuration insists on these; the key is thrown away and none of them is kept in a build. */
function buildEnv(): NodeJS.ProcessEnv {
  return {
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    PORT: '3333',
    APP_KEY: randomBytes(32).toString('base64url'),
    APP_URL: 'http://localhost:3333',
    DATABASE_URL: 'postgres://localhost/none',
    BERTH_HOME: root,
    MACHINE_ID: 'none',
  }
}
