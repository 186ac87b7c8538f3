import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Stops Go from inlining functions, which saves a third of the CPU time of a build. Slower programs are fine, because
 * only tests run them.
 */
export const QUICK_BUILD_GOFLAGS = '-gcflags=all=-l'

/**
 * Returns the cache path for the build of a third-party server; the name contains the version. `.ci/bare` keeps the
 * cache between runs.
 */
export function serverProgramCachePath(name: string): string {
  return join(process.getuid?.() === 0 ? '/var/cache/berth-peers' : join(tmpdir(), 'berth'), name)
}
