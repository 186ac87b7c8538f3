import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Returns the cache path for the build of a third-party server; the name contains the version. `.ci/bare` keeps the
 * cache between runs.
 */
export function serverProgramCachePath(name: string): string {
  return join(process.getuid?.() === 0 ? '/var/cache/berth-peers' : join(tmpdir(), 'berth'), name)
}

/**
 * Environment in which Go builds servers for tests. All of them use one cache, so that Go compiles its standard library
 * once, and the installed Go, because a download of another one takes longer. Functions are not inlined, which saves a
 * third of the CPU time. The servers are slower, which is fine for tests.
 */
export const quickGoEnv = {
  GOPATH: serverProgramCachePath('go'),
  GOCACHE: serverProgramCachePath('go/cache'),
  GOTOOLCHAIN: 'local',
  GOFLAGS: '-buildvcs=false -modcacherw -gcflags=all=-l',
  CGO_ENABLED: '0',
}
