import { existsSync } from 'node:fs'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { ensureBuild } from './build.js'
import { ensureChromium } from './chromium.js'
import { claimHome, CliRefusal, homePath, openHome, type Home } from './home.js'
import { Lifetime } from './lifetime.js'
import { edgeRole, edgeService, type EdgeService } from './local_edge.js'
import { startLocalHost } from './local_host.js'
import { loader, root } from './paths.js'
import { openDatabase, resetDatabase } from './postgres.js'
import { freePorts, migrationEnv, roleEnv } from './roles.js'
import { run } from './run.js'
import { say, step } from './say.js'
import { migrate } from './services.js'
import { Supervisor } from './supervisor.js'
import { ensureTestTools } from './test_tools.js'
import { readJapa, readVitest, tally, type TestResult } from './tally.js'

const isVitest = (file: string) => /\.test\.tsx?$/.test(file)
const isJapa = (file: string) => /\.spec\.ts$/.test(file)

/** Runs all tests, or those in the given files and folders, on services of their own. */
export async function test(wanted: string[]): Promise<number> {
  const files = await filesOf(wanted)
  const results: TestResult[] = []
  const life = new Lifetime()
  const stopped = await life.during(async () => {
    const home = await openHome(join(homePath(), 'test'))
    life.atEnd(claimHome(home.path))
    if (!files || files.some(isJapa))
      results.push(...(await japa(home, files?.filter(isJapa), life)))
    if (!files || files.some(isVitest))
      results.push(...(await vitest(home, files?.filter(isVitest))))
  })
  if (stopped) return 130
  const { lines, failed } = tally(results)
  say()
  for (const line of lines) say(line)
  return failed || results.length === 0 ? 1 : 0
}

/** The test files below what was asked for, as paths from the root; undefined for "all". */
async function filesOf(wanted: string[]): Promise<string[] | undefined> {
  if (wanted.length === 0) return undefined
  const { glob } = await import('node:fs/promises')
  const found = new Set<string>()
  for (const path of wanted) {
    const from = relative(root, resolve(root, path))
    if (isVitest(from) || isJapa(from)) {
      if (!existsSync(join(root, from))) throw new CliRefusal(`There is no file ${from}`)
      found.add(from)
      continue
    }
    for await (const file of glob(`${from}/**/*.{spec,test}.{ts,tsx}`, { cwd: root }))
      found.add(file)
  }
  return [...found].sort()
}

async function japa(
  home: Home,
  files: string[] | undefined,
  life: Lifetime
): Promise<TestResult[]> {
  // Before the host: where one installation goes on, the next waits.
  await step('Find what tests call', ensureTestTools, (found) => found)
  const localHost = startLocalHost(home, life, { poolSize: 12 * 1024 ** 3, removeAtEnd: true })
  const needsBrowser = !files || files.some((file) => file.startsWith('tests/browser/'))
  if (needsBrowser) await step('Find Chromium', ensureChromium, (path) => path)
  const [database] = await Promise.all([
    step(
      'Start PostgreSQL for tests',
      async () => {
        const opened = await openDatabase(home, { fast: true })
        life.atEnd(() => opened.stop())
        if (!process.env.DATABASE_URL) await resetDatabase(home, opened)
        return opened
      },
      ({ words }) => words
    ),
    step('Build the console', ensureBuild, (outcome) => outcome),
  ])
  // Tests on real instances need the image; without root there is no Incus and they say so.
  const hasHost = await localHost.image
  const ports = await freePorts()
  const local = hasHost ? { ...localHost.services, edge: await startEdge(home, life) } : {}
  const env: NodeJS.ProcessEnv = {
    ...roleEnv({ home, database, ports, mode: 'test', local }),
    EDGE_ISSUER: 'internal',
    ...fromCaller,
    HOST: '127.0.0.1',
    APP_URL: `http://127.0.0.1:${ports.web}`,
    SESSION_DRIVER: 'database',
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn',
    BERTH_ROLE: 'web',
  }
  await step('Make the tables', () =>
    migrate({ home, database, env, from: 'sources', always: true })
  )

  const report = await reportFile(home, 'japa.jsonl')
  const argv = [process.execPath, ...loader, join(root, 'bin/test.ts')]
  const chosen = files?.flatMap((file) => ['--files', join(root, file)]) ?? []
  const { code } = await run([...argv, ...chosen], {
    env: { ...migrationEnv(env, database), BERTH_TEST_REPORT: report },
    show: true,
  })
  const results = existsSync(report) ? readJapa(await readFile(report, 'utf8')) : []
  return withRunner('bin/test.ts', results, code)
}

/** A Caddy on free ports, with an authority of its own. */
async function startEdge(home: Home, life: Lifetime): Promise<EdgeService> {
  const { web: httpPort, gateway: httpsPort } = await freePorts()
  const service = { ...edgeService(home), httpPort, httpsPort }
  const supervisor = new Supervisor({ logs: home.logs, say })
  life.atEnd(() => supervisor.stop())
  const role = await edgeRole(home, service)
  if (role) await supervisor.start(role)
  return service
}

async function vitest(home: Home, files: string[] = []): Promise<TestResult[]> {
  if (!existsSync(join(root, 'vitest.config.ts'))) return []
  const report = await reportFile(home, 'vitest.json')
  const { code } = await run(
    [
      process.execPath,
      join(root, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--passWithNoTests',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      ...files,
    ],
    { env: { ...process.env, NODE_ENV: 'test' }, show: true }
  )
  const results = existsSync(report) ? readVitest(await readFile(report, 'utf8'), root) : []
  return withRunner('vitest', results, code)
}

/** Small things of our own environment that tests may want to see. */
const fromCaller = Object.fromEntries(
  [
    'CI',
    'HOME',
    'NO_COLOR',
    'FORCE_COLOR',
    'TERM',
    'BERTH_CHROMIUM',
    'npm_config_nodedir',
    'FUZZ_SEED',
    'FUZZ_SECONDS',
    'FUZZ_CALL',
  ]
    .filter((name) => process.env[name])
    .map((name) => [name, process.env[name]])
)

async function reportFile(home: Home, name: string): Promise<string> {
  const folder = join(home.path, 'reports')
  await mkdir(folder, { recursive: true })
  const file = join(folder, name)
  await rm(file, { force: true })
  return file
}

/** A runner that ended badly although no test of it failed (a crash) is a failure of its own. */
function withRunner(file: string, results: TestResult[], code: number): TestResult[] {
  if (code === 0 || results.some(({ outcome }) => outcome === 'failed')) return results
  return [...results, { file, title: `the runner ended with code ${code}`, outcome: 'failed' }]
}
