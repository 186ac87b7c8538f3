import { existsSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { CliError } from './berth_home.js'
import { findFastTests } from './fast_tests.js'
import { findIncusHostProblem } from './incus_host.js'
import { installRoot } from './paths.js'

export const isVitest = (file: string) => /\.test\.tsx?$/.test(file)
export const isJapa = (file: string) => /\.spec\.ts$/.test(file)

/** Tests that run one after another, with services that only they use. */
export interface TestPart {
  /** Name of a folder in the home. The services of this part store their data in it. */
  home: string
  /**
   * Suites or files of Japa that need no Incus. They run while Incus starts. After them, the database is created again.
   */
  early?: string[]
  /** Suites or files of Japa. An empty list means all. */
  japa?: string[]
  /** Suites or files of Japa that run after the others, in a new process. */
  late?: string[]
  /** Files of Vitest. An empty list means all. */
  vitest?: string[]
  /**
   * Whether the part needs only Node and the embedded PostgreSQL. In this case, nothing is installed or built, and
   * Incus is not started.
   */
  isFast?: boolean
}

/**
 * All tests, divided into parts that run at the same time and take about equally long. Together, the parts keep two
 * processors busy, because each of them often waits for machines and timers. `isolated` must run before the tests in
 * `late`, because it needs an installation without data of other tests. `packages` also runs before `late`, because
 * the services that it starts use the same tables as those of later tests.
 */
export const testParts: TestPart[] = [
  { home: 'test-system', japa: ['system'] },
  { home: 'test', japa: ['app', 'browser'] },
  {
    home: 'test-isolated',
    early: ['pages'],
    japa: ['isolated'],
    late: ['service', 'consoles', 'conformance'],
  },
  {
    home: 'test-packages',
    japa: ['packages'],
    late: ['cli', 'databases', 'processes'],
    vitest: [],
  },
]

/**
 * Returns several parts if all tests are to run, and this machine can be a host and run a separate database for each
 * part. Otherwise returns one.
 */
export async function selectTestParts(files: string[] | undefined): Promise<TestPart[]> {
  if (!files) {
    const isOne = process.env.DATABASE_URL || findIncusHostProblem()
    if (isOne) return [{ home: 'test', japa: [], vitest: [] }]
    return Promise.all(testParts.map(moveFastTests))
  }
  const [japa, vitest] = [files.filter(isJapa), files.filter(isVitest)]
  return [{ home: 'test', ...(japa.length && { japa }), ...(vitest.length && { vitest }) }]
}

/** Moves the tests that `--fast` also runs from `japa` and `late` to `early`, so that they need not wait for Incus. */
export async function moveFastTests(part: TestPart): Promise<TestPart> {
  const fast = new Set((await findFastTests()).japa)
  const early = [...(part.early ?? [])]
  const leave = async (suites?: string[]) => {
    if (!suites) return undefined
    const files = (await Promise.all(suites.map(filesOfSuite))).flat()
    const moved = files.filter((file) => fast.has(file))
    early.push(...moved)
    // Japa accepts either names of suites or names of files, but not both.
    return moved.length ? files.filter((file) => !fast.has(file)) : suites
  }
  const { home, vitest } = part
  const [japa, late] = [await leave(part.japa), await leave(part.late)]
  return { home, vitest, japa, late, ...(early.length && { early }) }
}

async function filesOfSuite(name: string): Promise<string[]> {
  const { default: settings } = await import('../adonisrc.js')
  const { files } = settings.tests!.suites!.find((suite) => suite.name === name)!
  return Array.fromAsync(glob(files as string | string[], { cwd: installRoot }))
}

/**
 * Returns the test files below the given paths. Their paths are relative to the repository's root. Undefined means all
 * files.
 * @throws CliError if a file does not exist
 */
export async function listTestFiles(wanted: string[]): Promise<string[] | undefined> {
  if (wanted.length === 0) return undefined
  const files = new Set<string>()
  for (const path of wanted) {
    const from = relative(installRoot, resolve(installRoot, path))
    if (isVitest(from) || isJapa(from)) {
      if (!existsSync(join(installRoot, from)))
        throw new CliError(`The file ${from} does not exist`)
      files.add(from)
      continue
    }
    for await (const file of glob(`${from}/**/*.{spec,test}.{ts,tsx}`, { cwd: installRoot }))
      files.add(file)
  }
  return [...files].sort()
}
