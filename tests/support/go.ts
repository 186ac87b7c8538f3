import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Returns where a server of another project, of one version, is kept once it was built. `.ci/bare` keeps it from
 * run to run, too.
 */
export function keptPeer(name: string): string {
  return join(process.getuid?.() === 0 ? '/var/cache/berth-peers' : join(tmpdir(), 'berth'), name)
}
