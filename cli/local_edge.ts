import { buildCaddy, type CaddyPaths, findCaddy, isCaddyRebuildDue } from './host/caddy.js'
import { edgeAdminAddress, edgeCommand } from './host/edge.js'
import type { BerthHome } from './berth_home.js'
import { join } from 'node:path'
import { prepareEdgeFolder, type ProcessUsers } from './process_users.js'
import { tryListenOnPort } from './roles.js'
import { colorize, print, runStep } from './print.js'
import type { ProcessSpec } from './supervisor.js'
import { readScript } from '../packages/machine/read_script.js'

export interface LocalEdge {
  admin: string
  httpPort: number
  httpsPort: number
  /** Empty if unknown. */
  version?: string
  isOutdated?: boolean
}

export function describeLocalEdge(
  home: BerthHome,
  env: NodeJS.ProcessEnv = process.env,
  caddy = findCaddy()
): LocalEdge {
  return {
    admin: edgeAdminAddress(home.path),
    httpPort: Number(env.EDGE_HTTP_PORT ?? 80),
    httpsPort: Number(env.EDGE_HTTPS_PORT ?? 443),
    version: caddy?.version,
    isOutdated: caddy?.isOutdated,
  }
}

/**
 * Applies only to a Caddy that an earlier release built. If the build fails, for example without internet access, the
 * edge proxy keeps using the old Caddy.
 */
export async function rebuildOutdatedCaddy(paths?: CaddyPaths, build = buildCaddy): Promise<void> {
  // A maintainer script runs while dpkg holds its lock, so Go cannot be installed.
  if (process.env.DPKG_MAINTSCRIPT_PACKAGE || !isCaddyRebuildDue(paths)) return
  await runStep(
    'Build Caddy',
    () => build(paths),
    ({ version }) => version
  ).catch((error: Error) =>
    print(
      `${colorize('red', '✗')} Caddy could not be built, so the outdated version stays in use: ${error.message}`
    )
  )
}

const GROUP_UMASK_SCRIPT = readScript(import.meta, 'run_with_group_umask.sh')

const SHARE_FOLDER_SCRIPT = readScript(import.meta, 'share_edge_folder.sh')

/**
 * If one of the edge proxy's ports cannot be used, prints the reason and returns undefined. Berth then works, except
 * for public domains.
 */
export async function createCaddyProcessSpec(
  home: BerthHome,
  service: LocalEdge
): Promise<ProcessSpec | undefined> {
  for (const port of [service.httpPort, service.httpsPort]) {
    const error = await tryListenOnPort(port, '0.0.0.0')
    if (!error) continue
    const why = error.code === 'EADDRINUSE' ? 'is in use' : `cannot be used: ${error.message}`
    print(
      `Public domains are off: port ${port} ${why}. Set EDGE_HTTP_PORT and EDGE_HTTPS_PORT to use other ports`
    )
    return undefined
  }
  return { name: 'edge', cwd: home.path, ...(await edgeCommand(home.path)) }
}

/**
 * Returns the edge proxy's processes; none if one of its ports cannot be used. With separate users, Caddy's only
 * capability is to listen on ports below 1024. A second program, with the same user, then gives the worker access to
 * certificates, but not to private keys.
 */
export async function createCaddyProcessSpecs(
  home: BerthHome,
  service: LocalEdge,
  privileges?: ProcessUsers
): Promise<ProcessSpec[]> {
  const caddy = await createCaddyProcessSpec(home, service)
  if (!caddy || !privileges) return caddy ? [caddy] : []
  const folder = join(home.path, 'edge')
  await prepareEdgeFolder(folder, privileges)
  const as = privileges.edge
  return [
    { ...caddy, argv: ['sh', '-c', GROUP_UMASK_SCRIPT, 'sh', ...caddy.argv], as },
    {
      name: 'certificates',
      cwd: home.path,
      argv: ['sh', '-c', SHARE_FOLDER_SCRIPT, 'sh', folder],
      env: { PATH: caddy.env.PATH },
      as: { ...as, capabilities: [] },
    },
  ]
}
