import { glob } from 'node:fs/promises'
import { installRoot } from './paths.js'

/** A group of test files that `./berth test --fast` does not run. */
interface LeftOutTests {
  /** Completes the sentence "3 files: they need …". */
  reason: string
  patterns: string[]
}

export const testsExcludedFromFastRun: LeftOutTests[] = [
  {
    reason: 'they need root, Incus or Chromium',
    patterns: [
      'tests/!(support)/**/*.spec.ts',
      'app/files/tests/*.spec.ts',
      'app/guest/tests/web_{paths,root_scripts}.spec.ts',
      'app/metrics/tests/metrics_gather.spec.ts',
      'app/terminal/tests/{gateway,revocation}.spec.ts',
      'cli/host/tests/*.spec.ts',
      'cli/tests/{backup,caddy,gateway_process,move_database,postgres,releases}.spec.ts',
      'cli/tests/{restic,restore_instances,run_role,sandbox_launcher,service,up_process_manager}.spec.ts',
    ],
  },
  {
    reason: 'they need other programs on this machine, such as sshd, MariaDB and pdftotext',
    patterns: [
      'packages/**/*.spec.ts',
      'app/billing/tests/{documents,regional,workbook}.spec.ts',
      'app/databases/tests/*.spec.ts',
      'app/vault/tests/backup_copy_destination_provider.spec.ts',
      'app/git/tests/*.spec.ts',
    ],
  },
  {
    reason: 'they need the built pages or a whole copy of the sources',
    patterns: [
      'app/core/tests/{http_responses,response_headers,server_bundle}.spec.ts',
      'app/identity/tests/csrf.spec.ts',
      'cli/tests/{launcher,new_module}.spec.ts',
    ],
  },
]

export interface FastTests {
  japa: string[]
  /** Files for Vitest to run. An empty list means all files. */
  vitest: string[]
  leftOut: { reason: string; count: number }[]
}

/** These tests need only Node and the embedded PostgreSQL. */
export async function findFastTests(): Promise<FastTests> {
  const find = (patterns: string[]) => Array.fromAsync(glob(patterns, { cwd: installRoot }))
  const japa = new Set(await find(['{app,cli,packages,tests/!(support)}/**/*.spec.ts']))
  const leftOut: FastTests['leftOut'] = []
  for (const { reason, patterns } of testsExcludedFromFastRun) {
    const files = (await find(patterns)).filter((file) => japa.delete(file))
    leftOut.push({ reason, count: files.length })
  }
  return { japa: [...japa].sort(), vitest: [], leftOut }
}

export function formatExcludedTests(leftOut: FastTests['leftOut']): string[] {
  const lines = leftOut.map(({ reason, count }) => `  ${count} files: ${reason}`)
  return [
    'Not run by --fast:',
    ...lines,
    './berth test FILE runs one of them; ./berth test runs all.',
  ]
}
