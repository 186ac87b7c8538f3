import { readFile } from 'node:fs/promises'
import { request } from 'node:https'
import type { TLSSocket } from 'node:tls'
import { getCACertificates } from 'node:tls'
import { NO_ANSWER_HEADER, type EdgeSettings } from './config.js'
import { localAuthority } from './authority.js'

/** How long a site has for its answer. */
const RESPONSE_TIMEOUT_MS = 10_000

/** What came of asking for a site over HTTPS. */
export type Probe =
  /** A certificate that visitors accept, and an answer of the site. */
  | { kind: 'answered'; status: number; until: Date }
  /** A certificate that visitors accept, and nothing behind it. */
  | { kind: 'no_answer'; words: string; until: Date }
  /** None that visitors accept. */
  | { kind: 'no_certificate'; words: string }
  /** The edge itself does not answer. */
  | { kind: 'no_edge'; words: string }

/** PEM of the authorities that visitors of this edge trust. */
export async function trustedRoots(settings: EdgeSettings): Promise<string[]> {
  if (settings.issuer === 'internal') return [await localAuthority(settings)]
  const own = settings.acmeRoots ? [await readFile(settings.acmeRoots, 'utf8')] : []
  return [...getCACertificates('default'), ...own]
}

/**
 * Asks the edge of this machine for a site as a visitor does, whatever DNS says: over TLS, its
 * certificate checked for the name against the issuer's roots.
 */
export async function probe(domain: string, settings: EdgeSettings): Promise<Probe> {
  let ca: string[]
  try {
    ca = await trustedRoots(settings)
  } catch (error) {
    return { kind: 'no_certificate', words: (error as Error).message }
  }
  return new Promise((resolve) => {
    let until: Date | undefined
    const asked = request(
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
        const failed = answer.headers[NO_ANSWER_HEADER.toLowerCase()]
        resolve(
          failed
            ? { kind: 'no_answer', words: `The edge proxy answered ${failed}.`, until: until! }
            : { kind: 'answered', status: answer.statusCode!, until: until! }
        )
      }
    )
    asked.on('socket', (socket) =>
      socket.once('secureConnect', () => {
        until = new Date((socket as TLSSocket).getPeerCertificate().valid_to)
      })
    )
    asked.on('timeout', () =>
      asked.destroy(new Error(`No response within ${RESPONSE_TIMEOUT_MS / 1_000} s.`))
    )
    asked.on('error', (error: NodeJS.ErrnoException) => {
      const words = error.message
      if (until) resolve({ kind: 'no_answer', words, until })
      else if (error.code === 'ECONNREFUSED') resolve({ kind: 'no_edge', words })
      else resolve({ kind: 'no_certificate', words })
    })
    asked.end()
  })
}
