import { serveDomains } from '#compute/edge/serve_domains'
import { edgeSettings } from '#compute/edge/settings'
import { Edge, localAuthority } from '#packages/edge/main'
import { eventually } from '#tests/support/eventually'
import { Agent, request } from 'undici'

/** Whether a Caddy of this machine answers, so that public addresses can be asked. */
export async function hasEdge(): Promise<boolean> {
  const settings = edgeSettings()
  if (!settings) return false
  const edge = new Edge(settings.admin)
  try {
    return await edge.isUp()
  } finally {
    await edge.close()
  }
}

/** What the worker does every three seconds; Caddy may still be busy with the last configuration. */
export function bringEdgeUpToDate(): Promise<void> {
  return eventually(() => serveDomains())
}

/**
 * Asks for a page as a visitor does: by its public name, over TLS, at this machine's Caddy, whose
 * certificate must be for that name.
 */
export async function askPublicly(
  domain: string,
  path = '/'
): Promise<{ status: number; text: string }> {
  await bringEdgeUpToDate()
  const settings = edgeSettings()!
  // The authority and the certificate are made in the background after a name is first told.
  return eventually(async () => {
    const dispatcher = new Agent({
      connect: {
        ca: await localAuthority(settings),
        servername: domain,
        lookup: (_name, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
      },
    })
    try {
      const url = `https://${domain}:${settings.httpsPort}${path}`
      const { statusCode, body } = await request(url, { dispatcher })
      return { status: statusCode, text: await body.text() }
    } finally {
      await dispatcher.close()
    }
  })
}
