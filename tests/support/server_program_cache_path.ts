import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Stops Go from inlining functions, which saves a third of the CPU time. The programs run only in tests. */
export const QUICK_BUILD_GOFLAGS = '-gcflags=all=-l'

/** Returns the cache path of a third-party server, by version. `.ci/bare` keeps the cache between runs. */
export function serverProgramCachePath(name: string): string {
  return join(process.getuid?.() === 0 ? '/var/cache/berth-peers' : join(tmpdir(), 'berth'), name)
}
