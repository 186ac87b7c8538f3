import { availableParallelism, freemem } from 'node:os'
import { join } from 'node:path'
import { typescriptLoaderArgs, installRoot } from './paths.js'
import { runProgram } from './run_program.js'
import { formatDuration, print, colorize } from './print.js'

interface Check {
  title: string
  argv: string[]
  env?: NodeJS.ProcessEnv
  /** Whether it needs the files that `pageTypesCheck` writes. */
  needsPageTypes?: boolean
}

const bin = (name: string) => join(installRoot, 'node_modules/.bin', name)

/** Longest first, so that all processors finish at about the same time. */
const checks: Check[] = [
  { title: 'Lint', argv: [bin('eslint'), '--max-warnings=0', '.'] },
  { title: 'Formatting', argv: [bin('prettier'), '--check', '--log-level=warn', '.'] },
  {
    title: 'Types of the server',
    argv: [bin('tsc'), '--noEmit', '-p', 'tsconfig.json'],
    needsPageTypes: true,
  },
  {
    title: 'Types of the pages',
    argv: [bin('tsc'), '--noEmit', '-p', 'inertia/tsconfig.json'],
    needsPageTypes: true,
  },
  {
    title: 'Dependency rule',
    argv: [
      bin('depcruise'),
      'app',
      'packages',
      'inertia',
      'config',
      'start',
      'providers',
      'commands',
      'database',
      'cli',
      'bench',
      'tests',
      '--config',
    ],
    needsPageTypes: true,
  },
  { title: 'Unused code', argv: [bin('knip'), '--no-progress'], needsPageTypes: true },
  {
    title: 'A test for each promise',
    argv: [...typescriptLoaderArgs, join(installRoot, 'tests/conformance/write.ts')],
  },
  {
    title: 'A test for each row of docs/security.md',
    argv: [...typescriptLoaderArgs, join(installRoot, 'tests/security/check.ts')],
  },
  {
    title: 'Plain language',
    argv: [...typescriptLoaderArgs, join(installRoot, 'tests/prose/check.ts')],
  },
  { title: 'Spelling', argv: [bin('cspell'), '--no-progress', '--no-summary', '--quiet'] },
]

/** Writes the types of the routes and pages (docs/decisions/0021). It needs no database, so it gets none. */
export const pageTypesCheck: Check = {
  title: 'Route and page types for the pages',
  argv: ['ace.js', 'page:types'],
  env: {
    NODE_ENV: 'development',
    HOST: 'localhost',
    PORT: '3333',
    APP_KEY: 'x'.repeat(32),
    APP_URL: 'http://localhost:3333',
    DATABASE_URL: 'postgres://localhost:1/none',
    BERTH_HOME: installRoot,
    MACHINE_ID: 'none',
  },
}

const bytesEach = 1.5 * 1024 ** 3

/** Types, lint, formatting and the dependency rule; as many at once as processors and memory allow. */
export async function runStaticChecks(): Promise<number> {
  const concurrency = Math.max(
    1,
    Math.min(availableParallelism(), Math.floor(freemem() / bytesEach))
  )
  const waiting = [...checks]
  const failed: string[] = []
  const pass = async (next: Check) => {
    if (!(await one(next))) failed.push(next.title)
  }
  const written = pass(pageTypesCheck)
  const runChecks = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      if (next.needsPageTypes) await written
      await pass(next)
    }
  }
  await Promise.all([written, ...Array.from({ length: concurrency }, runChecks)])
  print(
    failed.length
      ? `${failed.length} of ${checks.length + 1} checks failed: ${failed.join(', ')}`
      : `All ${checks.length + 1} checks passed`
  )
  return failed.length ? 1 : 0
}

async function one({ title, argv, env = {} }: Check): Promise<boolean> {
  const started = performance.now()
  const { code, output } = await runProgram([process.execPath, ...argv], {
    env: { ...process.env, ...env },
  })
  const time = colorize('dim', `(${formatDuration(performance.now() - started)})`)
  print(
    code === 0
      ? `${colorize('green', '✓')} ${title} ${time}`
      : `${colorize('red', '✗')} ${title} ${time}\n${output.trim()}`
  )
  return code === 0
}
