import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Of a third-party server, by version. `.ci/bare` keeps the cache between runs. */
export function serverProgramCachePath(name: string): string {
  return join(process.getuid?.() === 0 ? '/var/cache/berth-peers' : join(tmpdir(), 'berth'), name)
}
