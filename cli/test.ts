import { createHash, randomInt } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ensureBuild, allBuildParts, type BuildPart } from './build.js'
import { ensureChromium } from './chromium.js'
import { GROUPED_OUTPUT_VARIABLE, GroupedOutput } from './parallel_test_output.js'
import { claimHome, CliError, homePath, openHome, type BerthHome } from './berth_home.js'
import { CleanupStack } from './cleanup_stack.js'
import { createCaddyProcessSpec, describeLocalEdge, type LocalEdge } from './local_edge.js'
import { findFastTests, formatExcludedTests } from './fast_tests.js'
import {
  disabledIncusHost,
  startIncusHost,
  findIncusHostProblem,
  type StartingIncusHost,
} from './incus_host.js'
import { typescriptLoaderArgs, installRoot } from './paths.js'
import { findFreePort } from './find_free_port.js'
import { saveDatabaseTemplate, resetDatabase } from './postgres/test_database.js'
import { openDatabase } from './postgres/open_database.js'
import type { BerthDatabase } from './postgres/connections.js'
import { findFreePorts, migrationEnv, commonProcessEnv } from './roles.js'
import { runProgram } from './run_program.js'
import { formatDuration, print, runStep } from './print.js'
import { migrateDatabase } from './ace_commands.js'
import { Supervisor } from './supervisor.js'
import { listTestFiles, isJapa, selectTestParts, type TestPart } from './test_parts.js'
import { ensureTestTools } from './ensure_test_tools.js'
import {
  failSkippedHostTests,
  type TestFileTime,
  parseJapaReport,
  parseVitestReport,
  parseVitestTimes,
  formatSlowestFiles,
  summarizeTests,
  type TestResult,
} from './test_summary.js'

/**
 * Runs all tests, or those in the given files and folders. The tests are divided into parts, each with its own
 * services. Returns the exit code.
 */
export async function runTests(wanted: string[]): Promise<number> {
  return runParts(await selectTestParts(await listTestFiles(wanted)))
}

/**
 * Runs the fast tests: those that need no root, no Incus and no browser. With `wanted`, runs only those in these files
 * and folders. Otherwise prints how many test files it leaves out, and why.
 * @throws CliError if `wanted` contains a test that is not fast
 */
export async function runFastTests(wanted: string[] = []): Promise<number> {
  const { japa, vitest, leftOut } = await findFastTests()
  const files = await listTestFiles(wanted)
  if (files) return runFastFiles(files, japa)
  // Runs half of the files in each of two processes, because a process uses only one processor.
  const halves = [0, 1].map((half) => japa.filter((_file, index) => index % 2 === half))
  const code = await runParts([
    { home: 'test-fast', japa: halves[0], isFast: true },
    { home: 'test-fast-2', japa: halves[1], isFast: true },
    { home: 'test-fast-pages', vitest },
  ])
  for (const line of formatExcludedTests(leftOut)) print(line)
  return code
}

async function runFastFiles(files: string[], fast: string[]): Promise<number> {
  const left = files.find((file) => isJapa(file) && !fast.includes(file))
  if (left) throw new CliError(`${left} needs more than --fast provides. Run ./berth test ${left}`)
  const [part] = await selectTestParts(files)
  return runParts([{ ...part, home: 'test-fast', isFast: true }])
}

async function runParts(parts: TestPart[]): Promise<number> {
  const results: TestResult[] = []
  const durations: string[] = []
  const life = new CleanupStack()
  const stopped = await life.during(async () => {
    const homes = await Promise.all(parts.map(({ home }) => openHome(join(homePath(), home))))
    for (const { path } of homes) life.atEnd(claimHome(path))
    const runs = await prepare(parts, homes, life)
    const timed = async (one: Run) => {
      const began = performance.now()
      const partResults = await runPart(one, life)
      durations.push(`Part ${one.home} (${formatDuration(performance.now() - began)})`)
      return partResults
    }
    results.push(...(await Promise.all(runs.map(timed))).flat())
    durations.push(...formatSlowestFiles(runs.flatMap(({ times }) => times)))
  })
  if (stopped) return 130
  const { lines, failed } = summarizeTests(results)
  print()
  for (const line of [...durations, ...lines]) print(line)
  return failed || results.length === 0 ? 1 : 0
}

/** A part of the tests while it runs, with the services that it uses. */
interface Run extends TestPart {
  services: BerthHome
  database?: BerthDatabase
  /** Whether the part's database already has the tables. `mark`: version of the tables. */
  hasTables?: boolean
  mark?: string
  host?: StartingIncusHost
  edge?: LocalEdge
  /** Path of the browser. Undefined if no part needs one. Resolves after the programs for tests are installed. */
  browser?: Promise<string | undefined>
  /** Buffers the output of this part while that of another part is printed. */
  output?: GroupedOutput
  times: TestFileTime[]
}

/**
 * Installs programs and starts hosts in the background, one after the other, because dpkg allows only one installation
 * at a time.
 */
async function prepare(parts: TestPart[], homes: BerthHome[], life: CleanupStack): Promise<Run[]> {
  const runs: Run[] = parts.map((part, index) => ({
    ...part,
    services: homes[index],
    output: parts.length > 1 ? new GroupedOutput() : undefined,
    times: [],
  }))
  const needing = runs.filter((one) => one.japa)
  if (needing.length === 0) return runs
  if (needing.every(({ isFast }) => isFast)) {
    for (const one of needing) {
      await openTestDatabase(one, life)
    }
    return runs
  }
  const tools = runStep('Check the programs that tests need', ensureTestTools, (text) => text)
  const browser = tools.then(() => (needing.some(needsBrowser) ? installBrowser() : undefined))
  // Prevents an unhandled rejection: `japa` may await this promise only after it has rejected.
  browser.catch(() => {})
  let after: Promise<unknown> = tools
  for (const one of needing) {
    one.browser = browser
    const options = { poolSize: 12 * 1024 ** 3, removeAtEnd: true, after }
    one.host = startIncusHost(one.services, life, options)
    after = one.host.image
  }
  const built = runStep(
    'Build the code for the tests',
    () => ensureBuild(builtFor(needing)),
    (outcome) => outcome
  )
  const open = async () => {
    for (const one of needing) await openTestDatabase(one, life)
  }
  await Promise.all([open(), built])
  return runs
}

/** The tests of packages need no built pages. */
function builtFor(runs: Run[]): BuildPart[] {
  const isOfPackages = (what: string) => what === 'packages' || what.startsWith('packages/')
  const isSmall = runs.every(({ japa }) => japa!.length && japa!.every(isOfPackages))
  return isSmall ? ['server'] : allBuildParts
}

const installBrowser = () => runStep('Find Chromium', ensureChromium, (path) => path)

const needsBrowser = ({ early, japa, late }: TestPart) => [early, japa, late].some(usesBrowser)

function usesBrowser(suites: string[] | undefined): boolean {
  const names = ['isolated', 'pages', 'browser', 'conformance']
  return suites !== undefined && names.some((name) => isSuiteRequested(name, suites))
}

function isSuiteRequested(suite: string, japa: string[]): boolean {
  return (
    japa.length === 0 || japa.some((what) => what === suite || what.startsWith(`tests/${suite}/`))
  )
}

function openTestDatabase(one: Run, life: CleanupStack): Promise<BerthDatabase> {
  return runStep(
    'Start PostgreSQL for tests',
    async () => {
      const { services: home } = one
      const opened = await openDatabase(home, { fast: true })
      life.atEnd(() => opened.stop())
      one.database = opened
      if (process.env.DATABASE_URL) return opened
      one.mark = await markOfTables()
      one.hasTables = await resetDatabase(home, opened, one.mark)
      return opened
    },
    ({ description }) => description
  )
}

/**
 * Returns a version of the tables: a hash of the files that create them, and of the current day, because migrations may
 * read the clock.
 */
async function markOfTables(): Promise<string> {
  const folder = join(installRoot, 'database/migrations')
  const hash = createHash('sha256').update(new Date().toISOString().slice(0, 10))
  for (const name of (await readdir(folder)).sort()) {
    hash.update(`\0${name}\0`).update(await readFile(join(folder, name)))
  }
  return hash.digest('hex')
}

/**
 * Runs component tests first, because they need no services. With several parts, the services start meanwhile. A single
 * part waits until its host is ready.
 */
async function runPart(part: Run, life: CleanupStack): Promise<TestResult[]> {
  const results: TestResult[] = []
  if (!part.output) await part.host?.image
  if (part.vitest) results.push(...(await vitest(part, life)))
  if (part.early && !life.stopping) {
    const { services, database, mark } = part
    results.push(...(await japa(part, part.early, life, { isEarly: true })))
    part.hasTables = await resetDatabase(services, database!, mark)
  }
  for (const suites of [part.japa, part.late]) {
    if (suites && !life.stopping) results.push(...(await japa(part, suites, life)))
  }
  return results
}

/** @param isEarly whether to run without waiting for Incus and installed programs, except the browser */
async function japa(
  part: Run,
  suites: string[],
  life: CleanupStack,
  { isEarly = part.isFast ?? false } = {}
): Promise<TestResult[]> {
  const { services: home } = part
  const [database, localHost] = [part.database!, isEarly ? disabledIncusHost : part.host!]
  const browser = isEarly && !usesBrowser(suites) ? undefined : await part.browser
  // Waits for the base image, which tests with real instances need. Without root, there is no Incus, and these tests
  // are skipped.
  const hasHost = await localHost.image
  const ports = await findFreePorts()
  if (hasHost) part.edge ??= await startEdge(home, life)
  const local = hasHost ? { ...localHost.services, edge: part.edge } : {}
  const env: NodeJS.ProcessEnv = {
    ...commonProcessEnv({ home, database, ports, mode: 'test', local }),
    EDGE_ISSUER: 'internal',
    ...fromCaller,
    HOST: '127.0.0.1',
    APP_URL: `http://127.0.0.1:${ports.web}`,
    SESSION_DRIVER: 'database',
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn',
    BERTH_ROLE: 'web',
    BERTH_CHROMIUM: browser,
  }
  await runStep('Create the tables', async () => {
    // Uses the build, which starts faster than the sources. Fast tests run from the sources, so that no build is
    // needed.
    const from = part.isFast ? 'sources' : 'build'
    await migrateDatabase({ home, database, env, from, always: !part.hasTables })
    if (part.mark && !part.hasTables) await saveDatabaseTemplate(home, database, part.mark)
    part.hasTables = true
  })

  const report = await reportFile(home, 'japa.jsonl')
  const argv = [process.execPath, ...typescriptLoaderArgs, join(installRoot, 'bin/test.ts')]
  const filters = suites.flatMap((what) =>
    isJapa(what) ? ['--files', join(installRoot, what)] : what
  )
  const code = await show(part, life, [...argv, ...filters], {
    ...migrationEnv(env, database),
    BERTH_TEST_REPORT: report,
  })
  const { results, times } = parseJapaReport(
    existsSync(report) ? await readFile(report, 'utf8') : ''
  )
  part.times.push(...times)
  const isHostMissing = !isEarly && !hasHost && !findIncusHostProblem()
  const all = withRunner('bin/test.ts', results, code)
  return isHostMissing ? failSkippedHostTests(all) : all
}

/**
 * If another part runs at the same time, prints whole groups of lines (`GroupedOutput`), so that the lines of both
 * never mix.
 */
async function show(
  { output }: Run,
  life: CleanupStack,
  argv: string[],
  env: NodeJS.ProcessEnv
): Promise<number> {
  if (!output) return (await runProgram(argv, { env, show: true })).code
  const ending = new AbortController()
  const running = runProgram(argv, {
    env: { ...env, [GROUPED_OUTPUT_VARIABLE]: 'yes' },
    hear: output.hear,
    signal: ending.signal,
  })
  life.atEnd(async () => {
    ending.abort()
    await running
  })
  const { code } = await running
  output.end()
  return code
}

/**
 * Returns a random port from 10,000 to 18,999, or any free port if that port is in use. Instances get ports from
 * 20,000, and the kernel chooses ports from 32,768. Either could take Caddy's port, because Caddy listens only once it
 * has a site.
 */
const edgePort = () => findFreePort(randomInt(10_000, 19_000))

/** Starts Caddy on free ports. It issues certificates with its own authority. */
async function startEdge(home: BerthHome, life: CleanupStack): Promise<LocalEdge> {
  const [httpPort, httpsPort] = [await edgePort(), await edgePort()]
  const service = { ...describeLocalEdge(home), httpPort, httpsPort }
  const supervisor = new Supervisor({ logs: home.logs, report: print })
  life.atEnd(() => supervisor.stop())
  const role = await createCaddyProcessSpec(home, service)
  if (role) await supervisor.start(role)
  return service
}

async function vitest(part: Run, life: CleanupStack): Promise<TestResult[]> {
  if (!existsSync(join(installRoot, 'vitest.config.ts'))) return []
  const report = await reportFile(part.services, 'vitest.json')
  const argv = [
    process.execPath,
    join(installRoot, 'node_modules/vitest/vitest.mjs'),
    'run',
    '--passWithNoTests',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...part.vitest!,
  ]
  const code = await show(part, life, argv, { ...process.env, NODE_ENV: 'test' })
  if (!existsSync(report)) return withRunner('vitest', [], code)
  const json = await readFile(report, 'utf8')
  part.times.push(...parseVitestTimes(json, installRoot))
  return withRunner('vitest', parseVitestReport(json, installRoot), code)
}

/** Environment variables of the caller that tests may read. */
const fromCaller = Object.fromEntries(
  [
    'CI',
    'HOME',
    'NO_COLOR',
    'FORCE_COLOR',
    'TERM',
    'BERTH_PICTURES',
    'npm_config_nodedir',
    'FUZZ_SEED',
    'FUZZ_SECONDS',
    'FUZZ_CALL',
    'S3_TESTS',
    'S3_TESTS_PYTHON',
    'S3_TESTS_ALL',
  ]
    .filter((name) => process.env[name])
    .map((name) => [name, process.env[name]])
)

async function reportFile(home: BerthHome, name: string): Promise<string> {
  const folder = join(home.path, 'reports')
  await mkdir(folder, { recursive: true })
  const file = join(folder, name)
  await rm(file, { force: true })
  return file
}

/**
 * Adds a failed result if the test runner itself crashed. That is so if its exit code is not 0 although no test failed.
 */
function withRunner(file: string, results: TestResult[], code: number): TestResult[] {
  if (code === 0 || results.some(({ outcome }) => outcome === 'failed')) return results
  return [...results, { file, title: `the runner ended with code ${code}`, outcome: 'failed' }]
}
