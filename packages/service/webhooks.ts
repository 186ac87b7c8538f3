import { createHmac, timingSafeEqual } from 'node:crypto'
import { lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { Agent, request } from 'undici'
import { isPublicAddress } from './is_public_address.js'
import { sanitizeLine } from './sanitize_line.js'

const CALL_TIMEOUT_MS = 15_000
/** Maximum bytes of a webhook response to store. */
const MAX_RESPONSE_BYTES = 1_024

export interface WebhookResponse {
  ok: boolean
  status: number | null
  answer: string
}

/**
 * Sends webhook calls. Unless `allowPrivate` is true, rejects addresses that are not public, whether the URL contains
 * them or DNS returns them.
 */
export class WebhookClient {
  readonly #agent: Agent

  readonly #options: {
    allowPrivate: boolean
    lookup?: typeof systemLookup
  }

  constructor(options: { allowPrivate: boolean; lookup?: typeof systemLookup }) {
    this.#options = options

    this.#agent = new Agent({
      connect: { lookup: this.#lookup, timeout: CALL_TIMEOUT_MS },
      headersTimeout: CALL_TIMEOUT_MS,
      bodyTimeout: CALL_TIMEOUT_MS,
      maxResponseSize: -1,
      keepAliveTimeout: 5_000,
    })
  }

  /** Any status other than 2xx is a failure. Redirects are not followed. Never throws. */
  async post(url: string, headers: Record<string, string>, body: string): Promise<WebhookResponse> {
    try {
      this.#check(new URL(url))
      const signal = AbortSignal.timeout(CALL_TIMEOUT_MS)
      const answer = await request(url, {
        method: 'POST',
        headers,
        body,
        signal,
        dispatcher: this.#agent,
      })
      const { statusCode: status } = answer
      const text = await beginningOf(answer.body)
      return {
        ok: status >= 200 && status < 300,
        status,
        answer: sanitizeLine(text, MAX_RESPONSE_BYTES),
      }
    } catch (error) {
      return {
        ok: false,
        status: null,
        answer: sanitizeLine((error as Error).message, MAX_RESPONSE_BYTES),
      }
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy()
  }

  /**
   * Checks the protocol of a URL, and its IP address if it contains one. For such a URL, Node.js does not call
   * `lookup`, which checks the addresses of host names.
   */
  #check(url: URL): void {
    const host = url.hostname.replace(/^\[|\]$/g, '')
    if (!['http:', 'https:'].includes(url.protocol)) throw new Error('This is not a web address')
    if (isIP(host) && !this.#isAllowed(host)) throw notPublic()
  }

  #isAllowed(address: string): boolean {
    return this.#options.allowPrivate || isPublicAddress(address)
  }

  readonly #lookup: LookupFunction = (host, options, done) => {
    const look = this.#options.lookup ?? systemLookup
    look(host, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, [])
      const usable = addresses.filter(({ address }) => this.#isAllowed(address))
      if (usable.length === 0) return done(notPublic(), [])
      if (options.all) return done(null, usable)
      done(null, usable[0]!.address, usable[0]!.family)
    })
  }
}

function notPublic(): Error {
  return new Error('The server name has no public internet address')
}

async function beginningOf(body: AsyncIterable<Buffer> & { destroy(): unknown }): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    length += chunk.length
    if (length >= MAX_RESPONSE_BYTES) break
  }
  return Buffer.concat(chunks).subarray(0, MAX_RESPONSE_BYTES).toString('utf8')
}

/**
 * Returns headers of Standard Webhooks: signature, timestamp and a delivery ID for deduplication. During a rotation of
 * the secret, both the old and the new one sign.
 */
export function signedWebhookHeaders(
  secrets: string | string[],
  id: string,
  body: string,
  now: Date
): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1_000))
  const signatures = [secrets].flat().map((secret) => signatureOf(secret, id, timestamp, body))
  return {
    'content-type': 'application/json',
    'user-agent': 'Berth-Webhooks',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}

/** Returns whether one of the secrets made one of the signatures in `v1,… v1,…`. Compares in constant time. */
export function hasValidSignature(
  secrets: string[],
  { id, timestamp, signature }: { id: string; timestamp: string; signature: string },
  body: string
): boolean {
  // Ignores empty secrets, because anyone could sign with them.
  const expected = secrets
    .filter((secret) => keyOf(secret).length > 0)
    .map((secret) => Buffer.from(signatureOf(secret, id, timestamp, body)))
  const received = signature.split(' ').map((one) => Buffer.from(one))
  return expected.some((ours) =>
    received.some((theirs) => theirs.length === ours.length && timingSafeEqual(theirs, ours))
  )
}

function signatureOf(secret: string, id: string, timestamp: string, body: string): string {
  return `v1,${createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64')}`
}

function keyOf(secret: string): Buffer {
  return Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
}
