import { edgeAdmin, edgeProgram } from './host/edge.js'
import type { Home } from './home.js'
import { root } from './paths.js'
import { tryPort } from './roles.js'
import { say } from './say.js'
import type { Role } from './supervisor.js'

/** What the other processes are told of the Caddy of this machine. */
export interface EdgeService {
  admin: string
  httpPort: number
  httpsPort: number
}

/** Where the edge of a home is and listens; EDGE_HTTP_PORT and EDGE_HTTPS_PORT choose other ports. */
export function edgeService(home: Home, env: NodeJS.ProcessEnv = process.env): EdgeService {
  return {
    admin: edgeAdmin(home.path),
    httpPort: Number(env.EDGE_HTTP_PORT ?? 80),
    httpsPort: Number(env.EDGE_HTTPS_PORT ?? 443),
  }
}

/**
 * The edge as a program to supervise; undefined, with one line that says why, where its ports are
 * taken: then everything else works without public domains.
 */
export async function edgeRole(home: Home, service: EdgeService): Promise<Role | undefined> {
  for (const port of [service.httpPort, service.httpsPort]) {
    const error = await tryPort(port, '0.0.0.0')
    if (!error) continue
    const why = error.code === 'EADDRINUSE' ? 'is in use' : `cannot be used: ${error.message}`
    say(
      `No public domains: port ${port} ${why}. EDGE_HTTP_PORT and EDGE_HTTPS_PORT choose other ports`
    )
    return undefined
  }
  return { name: 'edge', cwd: root, ...(await edgeProgram(home.path)) }
}
