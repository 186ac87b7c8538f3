import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { refused, VaultRefusal } from '../errors.js'
import type { AccessKey, Store, Vault } from '../types.js'

/** Wrong keys that one address may try in a minute. */
const TRIES = 20
const MINUTE = 60_000
/** Addresses that are remembered; the oldest go first. */
const MOST = 10_000

export interface Owner {
  vault: Vault
  key: AccessKey
}

/**
 * Who calls `/upload` and `/remove`: `X-Secret-Key` with, as `X-Access-Key-Id`, the number of the account or the
 * key's own id.
 */
export class Keys {
  readonly #wrong = new Map<string, { tries: number; until: number }>()

  /** `addressOf`: whose tries are counted together. `now` in milliseconds. */
  constructor(
    private readonly store: Pick<Store, 'secretKey' | 'vaultById'>,
    private readonly addressOf: (request: IncomingMessage) => string = peerOf,
    private readonly now: () => number = Date.now
  ) {}

  /** Refuses with 401, with 403 where the key may only read, with 429 after too many wrong ones. */
  async check(request: IncomingMessage): Promise<Owner> {
    const address = this.addressOf(request)
    this.assertMayTry(address)
    const secret = headerOf(request, 'x-secret-key')
    const id = headerOf(request, 'x-access-key-id')
    if (!secret || !id) throw refused.noKey()
    const key = await this.store.secretKey(secret)
    // Asked for also without a key, so that a wrong secret takes no less time than a wrong id.
    const vault = await this.store.vaultById(key?.vaultId ?? 0)
    const ids = [String(vault?.accountId), key?.accessKeyId ?? '']
    const isRight = ids.map((one) => isSame(one, id)).includes(true)
    if (!key || !vault || !isRight) {
      this.countWrong(address)
      throw refused.wrongKey()
    }
    if (key.readOnly) throw refused.readOnlyKey()
    return { vault, key }
  }

  private assertMayTry(address: string): void {
    const wrong = this.#wrong.get(address)
    if (!wrong || wrong.tries < TRIES) return
    const left = wrong.until - this.now()
    if (left <= 0) return
    const headers = { 'Retry-After': String(Math.ceil(left / 1000)) }
    throw new VaultRefusal(
      429,
      'wrong_keys',
      'Too many wrong keys. Try again in a minute.',
      headers
    )
  }

  private countWrong(address: string): void {
    const now = this.now()
    const before = this.#wrong.get(address)
    if (before && before.until > now) {
      before.tries++
      return
    }
    this.#wrong.delete(address)
    if (this.#wrong.size >= MOST) this.#wrong.delete(this.#wrong.keys().next().value!)
    this.#wrong.set(address, { tries: 1, until: now + MINUTE })
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

/**
 * Who asks: the connection's other end, or whom a proxy on this machine names. A whole network of IPv6 belongs to
 * one person.
 */
export function peerOf({ socket, headers }: IncomingMessage): string {
  const peer = plain(socket.remoteAddress ?? '')
  const named = headers['x-forwarded-for']
  const isProxy = (peer.startsWith('127.') || peer === '::1') && typeof named === 'string'
  // What stands before the last one was sent by somebody whom nobody knows.
  const address = isProxy ? plain(named.split(',').at(-1)!.trim()) : peer
  return address.includes(':') ? address.split(':').slice(0, 4).join(':') : address
}

function plain(address: string): string {
  return address.replace(/^::ffff:(?=[\d.]+$)/, '')
}
