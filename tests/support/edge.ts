import { serveDomains } from '#compute/edge/serve_domains'
import { edgeSettings } from '#compute/edge/settings'
import { localAuthority } from '#packages/edge/main'
import { eventually } from '#tests/support/eventually'
import { Agent, request } from 'undici'

/**
 * Asks the Caddy of this machine for a page as a visitor of that name does: over TLS, its
 * certificate checked against Caddy's own authority. Throws while there is no certificate yet.
 */
export async function visitSite(
  domain: string,
  path = '/'
): Promise<{ status: number; text: string }> {
  const dispatcher = await edgeDispatcher(domain)
  try {
    const url = `https://${domain}:${edgeSettings()!.httpsPort}${path}`
    const answer = await request(url, { dispatcher })
    return { status: answer.statusCode, text: await answer.body.text() }
  } finally {
    await dispatcher.close()
  }
}

/** Leads requests for a name to the Caddy of this machine, whose own authority it trusts. */
export async function edgeDispatcher(domain: string): Promise<Agent> {
  return new Agent({
    connect: {
      ca: await localAuthority(edgeSettings()!),
      servername: domain,
      lookup: (_name, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
    },
  })
}

/** What the worker does every three seconds; Caddy may still be busy with the last configuration. */
export function bringEdgeUpToDate(): Promise<void> {
  return eventually(() => serveDomains())
}

/** As `visitSite`, once the edge knows of the name and its certificate is made. */
export async function askPublicly(domain: string, path = '/') {
  await bringEdgeUpToDate()
  return eventually(() => visitSite(domain, path))
}
