import { hash } from 'node:crypto'
import type { ServiceDatabase } from '#packages/service/database'
import { FailureLimiter } from '#packages/service/failure_limiter'
import { isSameAddress } from './addresses.js'
import { retryAfterHeaders, mailErrors } from './errors.js'
import { MAX_REJECTED_CALLS_PER_MINUTE } from './limits.js'

/** A sender whose key was verified. `mail.accept` verifies the key again when it commits a message. */
export interface Sender {
  id: number
  accountId: number
  email: string
  trackOpens: boolean
  /** SHA-256 of the sender's secret, in hexadecimal. */
  key: string
}

const CACHE_MS = 5_000
const MAX_CACHED_SENDERS = 10_000

export function digestOf(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}

export class SenderAuthenticator {
  readonly #cache = new Map<string, { sender: Sender | undefined; until: number }>()
  readonly #tries = new FailureLimiter()
  readonly #refused = new FailureLimiter(MAX_REJECTED_CALLS_PER_MINUTE)

  readonly #database: ServiceDatabase

  constructor(database: ServiceDatabase) {
    this.#database = database
  }

  /**
   * @param name the account's ID or the sender's email address
   * @param address the client's network (`rateLimitNetwork`), for which wrong keys are counted
   * @throws MailError 401 for a wrong key, 429 after too many wrong keys, 503 if the database is unavailable
   */
  async check(name: string, secret: string, address: string): Promise<Sender> {
    const wait = this.#tries.wait(address)
    if (wait) throw mailErrors.wrongKeys(undefined, retryAfterHeaders(wait))
    const sender = await this.#bySecret(secret)
    const isRight =
      sender && (String(sender.accountId) === name || isSameAddress(sender.email, name))
    if (isRight) return sender
    this.#tries.wrong(address)
    throw mailErrors.wrongKey()
  }

  /** @throws MailError 429 if too many calls of this sender were rejected in the current minute */
  assertMayCall({ id }: Sender): void {
    const wait = this.#refused.wait(String(id))
    if (wait) throw mailErrors.tooManyRefused(undefined, retryAfterHeaders(wait))
  }

  /** Checking a rejected call costs as much as accepting one, so their number is limited. */
  countRefused({ id }: Sender): void {
    this.#refused.wrong(String(id))
  }

  /** Call it after a change to keys or senders. */
  forget(): void {
    this.#cache.clear()
  }

  async #bySecret(secret: string): Promise<Sender | undefined> {
    const digest = digestOf(secret)
    const key = digest.toString('hex')
    const cached = this.#cache.get(key)
    if (cached && cached.until > Date.now()) return cached.sender
    const row = await this.#database
      .row<Omit<Sender, 'key'>>(
        `select s.id, s.account_id as "accountId", s.email, s.track_opens as "trackOpens"
         from mail.keys k join mail.senders s on s.id = k.sender_id
         where k.secret_digest = $1 and (k.expires_at is null or k.expires_at > now())`,
        [digest]
      )
      .catch(({ message }: Error) => {
        throw Object.assign(mailErrors.away(), { cause: message })
      })
    const sender = row && { ...row, key }
    if (sender) {
      if (this.#cache.size >= MAX_CACHED_SENDERS) this.#cache.clear()
      this.#cache.set(key, { sender, until: Date.now() + CACHE_MS })
    }
    return sender
  }
}
