import { availableParallelism, freemem } from 'node:os'
import { join } from 'node:path'
import { existingFiles, listChangedFiles } from './changed_files.js'
import { CliError } from './berth_home.js'
import { programPath, typescriptCompiler, typescriptLoaderArgs, installRoot } from './paths.js'
import { runProgram } from './run_program.js'
import { formatDuration, print, colorize } from './print.js'

export interface Check {
  title: string
  argv: string[]
  env?: NodeJS.ProcessEnv
  fix: string
  covers: RegExp
  /**
   * Additional arguments that select all files. With `--changed`, they are replaced by the list of changed files,
   * unless a file of `settings` changed.
   */
  allFiles?: string[]
  settings?: RegExp
  needsPageTypes?: boolean
}

/** In a folder that `npm ci` deletes. */
const cacheFile = (name: string) => join(installRoot, 'node_modules/.cache/berth-check', name)

const compile = (project: string, name: string) => [
  typescriptCompiler,
  '--noEmit',
  '--incremental',
  '--tsBuildInfoFile',
  cacheFile(`${name}.tsbuildinfo`),
  '-p',
  project,
]

const CODE = /\.(ts|tsx|js|mjs)$/
const FIX_TYPES =
  'Correct the types. node_modules/@typescript/native/bin/tsc --noEmit -p PROJECT checks one project.'

/** The slowest check is first, so that all processors finish at about the same time. */
export const checks: Check[] = [
  {
    title: 'Spelling',
    argv: [
      programPath('cspell'),
      '--no-progress',
      '--no-summary',
      '--quiet',
      '--no-must-find-files',
      '--cache',
      '--cache-strategy=content',
      `--cache-location=${cacheFile('cspell')}`,
    ],
    allFiles: [],
    covers: /^((app|cli|inertia|packages)\/.*\.(tsx?|sh)|docs\/.*\.md|[^/]+\.md)$/,
    settings: /^(cspell\.json|tests\/prose\/dictionary\.txt)$/,
    fix: 'Correct the word, or add a term of the field to tests/prose/dictionary.txt',
  },
  {
    title: 'Server types',
    argv: compile('tsconfig.json', 'server'),
    covers: /\.ts$|(^|\/)(tsconfig|package(-lock)?|modules)\.json$/,
    needsPageTypes: true,
    fix: FIX_TYPES.replace('PROJECT', 'tsconfig.json'),
  },
  {
    title: 'Page types',
    argv: compile('inertia/tsconfig.json', 'pages'),
    covers: /\.tsx?$|(^|\/)(tsconfig|package(-lock)?|modules)\.json$/,
    needsPageTypes: true,
    fix: FIX_TYPES.replace('PROJECT', 'inertia/tsconfig.json'),
  },
  {
    title: 'Dependency rule',
    argv: [
      programPath('depcruise'),
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
      '--output-type=err-long',
    ],
    covers: /\.(ts|tsx|mjs)$|(^|\/)(tsconfig|package|modules)\.json$/,
    needsPageTypes: true,
    fix: 'Import from a module below, or from its public.ts or public_effects.ts. The types of a page\'s props stay in the module that renders it, and import no model. CONTRIBUTING.md, "Where a thing goes", says which way imports point.',
  },
  {
    title: 'Plain language',
    argv: [...typescriptLoaderArgs, join(installRoot, 'tests/prose/check.ts')],
    covers: /\.(ts|tsx|md|sh|css|json)$|^tests\/prose\//,
    fix: 'Use the better word. A good exception goes into tests/prose/allowed.ts with its reason.',
  },
  {
    title: 'Unused code',
    argv: [programPath('knip'), '--no-progress'],
    covers: /\.(ts|tsx|mjs)$|^(knip|package)\.json$/,
    needsPageTypes: true,
    fix: 'Delete what nothing uses, or name an entry point in knip.json',
  },
  {
    title: 'Shell scripts',
    argv: [...typescriptLoaderArgs, join(installRoot, 'tests/shell/check.ts')],
    allFiles: [],
    covers: /\.(sh|bash)$/,
    settings: /^(\.shellcheckrc|\.editorconfig)$|^tests\/shell\//,
    fix: 'Run ./berth format. For a remark with a number, correct the script: https://www.shellcheck.net/wiki/SC… explains it.',
  },
  {
    title: 'Lint',
    argv: [programPath('oxlint'), '--deny-warnings', '--report-unused-disable-directives'],
    allFiles: [],
    covers: CODE,
    settings: /^(\.oxlint|package\.json$)/,
    fix: 'Run ./berth format. It corrects what it can; each message explains a remaining problem.',
  },
  {
    title: 'Formatting',
    argv: [programPath('oxfmt'), '--check', '--no-error-on-unmatched-pattern'],
    allFiles: ['.'],
    covers: /\.(ts|tsx|js|mjs|json|css|html|ya?ml)$/,
    settings: /^\.(oxfmtrc\.json|editorconfig)$/,
    fix: 'Run ./berth format',
  },
  {
    title: 'A test for each promise',
    argv: [...typescriptLoaderArgs, join(installRoot, 'tests/conformance/write.ts')],
    covers: /\.(spec|test)\.tsx?$|^tests\/conformance\/|^docs\//,
    fix: 'Name a test for the promise in tests/conformance/. Commit docs/conformance.md, which this check has updated.',
  },
  {
    title: 'A test for each row of docs/security.md',
    argv: [...typescriptLoaderArgs, join(installRoot, 'tests/security/check.ts')],
    covers: /\.(tsx?|mjs)$|^\.ci\/|^tests\/security\/|^docs\/security\.md$/,
    fix: 'Correct the name of the test or file in docs/security.md',
  },
]

/** Writes the TypeScript types of routes and pages (docs/decisions/0021). Needs no database. */
export const pageTypesCheck: Check = {
  title: 'Generated route and page types',
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
  covers: CODE,
  fix: 'The console does not start: correct the error above',
}

const bytesEach = 1.5 * 1024 ** 3

/**
 * Returns exit code 1 if a check failed. With `onlyChanged`, runs only checks that can fail because of the changed
 * files. The number of processors and the free memory limit how many run at once.
 */
export async function runStaticChecks({ onlyChanged = false } = {}): Promise<number> {
  const waiting = onlyChanged ? checksForFiles(await listChangedFiles()) : checks.map(checkAllFiles)
  const left = checks.length - waiting.length
  const concurrency = Math.max(
    1,
    Math.min(availableParallelism(), Math.floor(freemem() / bytesEach))
  )
  const failed: string[] = []
  const pass = async (next: Check) => {
    if (!(await runCheck(next))) failed.push(next.title)
  }
  const needsPageTypes = waiting.some((check) => check.needsPageTypes)
  const total = waiting.length + (needsPageTypes ? 1 : 0)
  const written = needsPageTypes ? pass(pageTypesCheck) : undefined
  const runNext = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      if (next.needsPageTypes) await written
      await pass(next)
    }
  }
  await Promise.all([written, ...Array.from({ length: concurrency }, runNext)])
  if (left) print(`${left} checks not run: nothing that they cover has changed`)
  if (total === 0) return 0
  print(
    failed.length
      ? `${failed.length} of ${total} checks failed: ${failed.join(', ')}`
      : `All ${total} checks passed`
  )
  return failed.length ? 1 : 0
}

export async function formatFiles({ onlyChanged = false } = {}): Promise<number> {
  const changed = onlyChanged ? await listChangedFiles() : undefined
  let code = 0
  const corrections = { Lint: '--fix', Formatting: '--write', 'Shell scripts': '--write' }
  for (const [title, correction] of Object.entries(corrections)) {
    const check = checks.find((each) => each.title === title)
    if (!check) throw new CliError(`There is no check "${title}"`)
    const ready = changed ? checkFiles(check, changed) : checkAllFiles(check)
    if (!ready) continue
    const argv = ready.argv.filter((word) => word !== '--check')
    argv.push(correction)
    if (!(await runCheck({ ...ready, argv, fix: 'Correct the problems above by hand' }))) code = 1
  }
  return code
}

export function checksForFiles(changed: string[]): Check[] {
  return checks.map((check) => checkFiles(check, changed)).filter((check) => check !== undefined)
}

function checkAllFiles(check: Check): Check {
  return { ...check, argv: [...check.argv, ...(check.allFiles ?? [])] }
}

function checkFiles(check: Check, changed: string[]): Check | undefined {
  if (changed.some((file) => check.settings?.test(file))) return checkAllFiles(check)
  const files = changed.filter((file) => check.covers.test(file))
  if (!check.allFiles) return files.length ? check : undefined
  const present = existingFiles(files)
  return present.length ? { ...check, argv: [...check.argv, ...present] } : undefined
}

async function runCheck({ title, argv, env = {}, fix }: Check): Promise<boolean> {
  const started = performance.now()
  const { code, output } = await runProgram([process.execPath, ...argv], {
    env: { ...process.env, ...env },
  })
  const time = colorize('dim', `(${formatDuration(performance.now() - started)})`)
  print(
    code === 0
      ? `${colorize('green', '✓')} ${title} ${time}`
      : `${colorize('red', '✗')} ${title} ${time}\n${output.trim()}\n  → ${fix}`
  )
  return code === 0
}
