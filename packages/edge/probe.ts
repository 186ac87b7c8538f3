import { readFile } from 'node:fs/promises'
import { request } from 'node:https'
import type { TLSSocket } from 'node:tls'
import { getCACertificates } from 'node:tls'
import { EDGE_ERROR_HEADER, type EdgeSettings } from './caddy_config.js'
import { readLocalCaCertificate } from './local_ca.js'

const RESPONSE_TIMEOUT_MS = 10_000

export type SiteProbeResult =
  | { kind: 'answered'; status: number; until: Date }
  | { kind: 'no_answer'; message: string; until: Date }
  | { kind: 'no_certificate'; message: string }
  | { kind: 'no_edge'; message: string }

export async function loadTrustedRoots(settings: EdgeSettings): Promise<string[]> {
  if (settings.issuer === 'internal') return [await readLocalCaCertificate(settings)]
  const own = settings.acmeRoots ? [await readFile(settings.acmeRoots, 'utf8')] : []
  return [...getCACertificates('default'), ...own]
}

/**
 * Sends an HTTPS request for a site to this host's edge proxy, as a visitor would, but without a DNS look-up. Verifies
 * the certificate's name and issuer.
 */
export async function probeSite(domain: string, settings: EdgeSettings): Promise<SiteProbeResult> {
  let ca: string[]
  try {
    ca = await loadTrustedRoots(settings)
  } catch (error) {
    return { kind: 'no_certificate', message: (error as Error).message }
  }
  return new Promise((resolve) => {
    let until: Date | undefined
    const outgoing = request(
      {
        host: '127.0.0.1',
        port: settings.httpsPort,
        servername: domain,
        ca,
        agent: false,
        method: 'HEAD',
        path: '/',
        timeout: RESPONSE_TIMEOUT_MS,
        headers: { host: domain, 'user-agent': 'Berth (is this site served?)' },
      },
      (answer) => {
        answer.resume()
        const failed = answer.headers[EDGE_ERROR_HEADER.toLowerCase()]
        resolve(
          failed
            ? {
                kind: 'no_answer',
                message: `The web proxy responded with error ${failed}.`,
                until: until!,
              }
            : { kind: 'answered', status: answer.statusCode!, until: until! }
        )
      }
    )
    outgoing.on('socket', (socket) =>
      socket.once('secureConnect', () => {
        until = new Date((socket as TLSSocket).getPeerCertificate().valid_to)
      })
    )
    outgoing.on('timeout', () =>
      outgoing.destroy(new Error(`No response within ${RESPONSE_TIMEOUT_MS / 1_000} s.`))
    )
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      const message = error.message
      if (until) resolve({ kind: 'no_answer', message, until })
      else if (error.code === 'ECONNREFUSED') resolve({ kind: 'no_edge', message })
      else resolve({ kind: 'no_certificate', message })
    })
    outgoing.end()
  })
}
