import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { vaultErrors, VaultError } from '../errors.js'
import { clientAddress, createTrustedProxyCheck } from '#packages/proxies/trusted_proxies'
import { rateLimitNetwork } from '#packages/service/ip_network'
import type { AccessKey, ObjectStore, Vault } from '../types.js'
import type { WrongKeyLimiter } from './wrong_key_limiter.js'

export interface AuthenticatedKey {
  vault: Vault
  key: AccessKey
}

/**
 * Authenticates calls of `/upload` and `/remove`. `X-Secret-Key` contains the secret, and `X-Access-Key-Id` contains
 * the account number or the key's ID.
 */
export class KeyAuthenticator {
  readonly #store: Pick<ObjectStore, 'secretKey' | 'vaultById'>
  readonly #wrong: WrongKeyLimiter
  readonly #isProxy: ReturnType<typeof createTrustedProxyCheck>

  constructor(
    store: Pick<ObjectStore, 'secretKey' | 'vaultById'>,
    wrong: WrongKeyLimiter,
    isProxy = createTrustedProxyCheck()
  ) {
    this.#store = store
    this.#wrong = wrong
    this.#isProxy = isProxy
  }

  /** @throws VaultError 401 for a missing or wrong key, 403 for a read-only key, 429 after too many wrong keys */
  async check(request: IncomingMessage): Promise<AuthenticatedKey> {
    const address = this.#addressOf(request)
    this.#assertMayTry(address)
    const secret = headerOf(request, 'x-secret-key')
    const id = headerOf(request, 'x-access-key-id')
    if (!secret || !id) throw vaultErrors.noKey()
    const key = await this.#store.secretKey(secret)
    // Runs this query even if no key was found. Otherwise the response time would show whether the secret or the ID is
    // wrong.
    const vault = await this.#store.vaultById(key?.vaultId ?? 0)
    const ids = [String(vault?.accountId), key?.accessKeyId ?? '']
    const isRight = ids.map((one) => isSame(one, id)).includes(true)
    if (!key || !vault || !isRight) {
      this.#wrong.count(address)
      throw vaultErrors.wrongKey()
    }
    if (key.readOnly) throw vaultErrors.readOnlyKey()
    return { vault, key }
  }

  #assertMayTry(address: string): void {
    const seconds = this.#wrong.wait(address)
    if (!seconds) return
    const headers = { 'Retry-After': String(seconds) }
    throw new VaultError(429, 'wrong_keys', 'Too many wrong keys. Try again in a minute.', headers)
  }

  #addressOf({ socket, headers }: IncomingMessage): string {
    const named = headers['x-forwarded-for'] as string | undefined
    return rateLimitNetwork(clientAddress(socket.remoteAddress ?? '', named, this.#isProxy))
  }
}

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

function isSame(one: string, other: string): boolean {
  const digest = (text: string) => hash('sha256', text, 'buffer')
  return timingSafeEqual(digest(one), digest(other))
}
