import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { vaultErrors, VaultError } from '../errors.js'
import { clientOf, trustedProxies } from '#packages/proxies/trusted'
import { networkOf } from '#packages/service/network'
import type { AccessKey, Store, Vault } from '../types.js'
import type { WrongKeys } from './wrong_keys.js'

export interface Owner {
  vault: Vault
  key: AccessKey
}

/**
 * Who calls `/upload` and `/remove`: `X-Secret-Key` with, as `X-Access-Key-Id`, the number of the account or the
 * key's own id.
 */
export class Keys {
  readonly #store: Pick<Store, 'secretKey' | 'vaultById'>
  readonly #wrong: WrongKeys
  readonly #isProxy: ReturnType<typeof trustedProxies>

  constructor(
    store: Pick<Store, 'secretKey' | 'vaultById'>,
    wrong: WrongKeys,
    isProxy = trustedProxies()
  ) {
    this.#store = store
    this.#wrong = wrong
    this.#isProxy = isProxy
  }

  /** Refuses with 401, with 403 where the key may only read, with 429 after too many wrong ones. */
  async check(request: IncomingMessage): Promise<Owner> {
    const address = this.#addressOf(request)
    this.#assertMayTry(address)
    const secret = headerOf(request, 'x-secret-key')
    const id = headerOf(request, 'x-access-key-id')
    if (!secret || !id) throw vaultErrors.noKey()
    const key = await this.#store.secretKey(secret)
    // Asked for also without a key, so that a wrong secret takes no less time than a wrong id.
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
    return networkOf(clientOf(socket.remoteAddress ?? '', named, this.#isProxy))
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
