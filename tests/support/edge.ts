import { edgeSettings } from '#compute/edge/settings'
import { localAuthority } from '#packages/edge/main'
import { Agent, request } from 'undici'

/**
 * Asks the Caddy of this machine for a page as a visitor of that name does: over TLS, its
 * certificate checked against Caddy's own authority. Throws while there is no certificate yet.
 */
export async function visitSite(domain: string): Promise<{ status: number; text: string }> {
  const settings = edgeSettings()!
  const dispatcher = new Agent({
    connect: {
      ca: await localAuthority(settings),
      servername: domain,
      lookup: (_name, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
    },
  })
  try {
    const answer = await request(`https://${domain}:${settings.httpsPort}/`, { dispatcher })
    return { status: answer.statusCode, text: await answer.body.text() }
  } finally {
    await dispatcher.close()
  }
}
