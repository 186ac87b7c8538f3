import env from '#start/env'
import type { EdgeSettings } from '#packages/edge/main'
import { join } from 'node:path'

/** Returns the settings of the local Caddy, or null if this machine has none. */
export function edgeSettings(): EdgeSettings | null {
  const admin = env.get('EDGE_ADMIN')
  if (!admin) return null
  const folder = join(env.get('BERTH_HOME'), 'edge')
  return {
    admin,
    httpPort: env.get('EDGE_HTTP_PORT', 80),
    httpsPort: env.get('EDGE_HTTPS_PORT', 443),
    issuer: env.get('EDGE_ISSUER', 'acme'),
    email: env.get('EDGE_EMAIL'),
    acmeUrl: env.get('EDGE_ACME_URL'),
    acmeRoots: env.get('EDGE_ACME_ROOTS'),
    storage: join(folder, 'storage'),
    tlsLog: join(folder, 'tls.log'),
    proxyLoopLog: join(folder, 'proxy_loops.log'),
  }
}
