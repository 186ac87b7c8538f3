import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Go does not inline functions, which takes a third less CPU time. The programs run only in tests. */
export const QUICK_BUILD_GOFLAGS = '-gcflags=all=-l'

/** Of a third-party server, by version. `.ci/bare` keeps the cache between runs. */
export function serverProgramCachePath(name: string): string {
  return join(process.getuid?.() === 0 ? '/var/cache/berth-peers' : join(tmpdir(), 'berth'), name)
}
