import { installPackages } from '../../cli/packages.js'
import { run } from '../../cli/run.js'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const BACKPORTS = 'bookworm-backports'

/** The first Go that can get itself a newer one (1.21). */
export async function findGo(): Promise<string> {
  const works = async (go: string) => {
    const { code, output } = await run([go, 'version'])
    return code === 0 && Number(/go1\.(\d+)/.exec(output)?.[1]) >= 21
  }
  const places = ['go', '/usr/local/go/bin/go', '/usr/lib/go/bin/go']
  for (const go of places) if (await works(go)) return go
  // Debian 12's own is older than that; that of its backports is not.
  await installPackages(['golang-go'])
  if (await works('/usr/bin/go')) return '/usr/bin/go'
  await installPackages(['-t', BACKPORTS, 'golang-go', 'golang-src'])
  if (await works('/usr/bin/go')) return '/usr/bin/go'
  throw new Error('There is no Go 1.21 or newer here, nor in the packages of this system')
}

/**
 * Where a server of somebody else, of one version, is kept once it was built; `.ci/bare` keeps it from run to
 * run, too.
 */
export function keptPeer(name: string): string {
  return join(process.getuid?.() === 0 ? '/var/cache/berth-peers' : join(tmpdir(), 'berth'), name)
}
