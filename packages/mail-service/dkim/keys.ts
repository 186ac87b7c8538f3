import { createPrivateKey, generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import type { ServiceDatabase } from '../../service/database.js'
import type { SecretCipher } from '../../service/secret_encryption.js'
import type { DkimKey, DomainState } from '../types.js'
import type { SigningKey } from './signature.js'

const generate = promisify(generateKeyPair)

/** A public key of this size fits in a DNS response, and all verifiers support it (RFC 8301, 3.2). */
const KEY_BITS = 2048

/** ID of the service's own domain (MAIL_HOST). Its key signs messages of senders who have no verified domain. */
export const SYSTEM_DOMAIN_ID = 0

const KEY_CACHE_MS = 10_000

export interface StoredDomain {
  id: number
  account_id: number
  domain: string
  state: DomainState
}

export interface SigningDomain {
  key: SigningKey
  returnDomain: string
}

export function bounceDomainOf(domain: string): string {
  return `bounce.${domain}`
}

/** DKIM keys (RFC 6376), stored encrypted. */
export class DkimKeys {
  readonly #known = new Map<string, { at: number; lookup: Promise<SigningDomain | undefined> }>()

  readonly #database: ServiceDatabase
  readonly #seal: SecretCipher
  readonly #host: string | undefined

  constructor(database: ServiceDatabase, seal: SecretCipher, host: string | undefined) {
    this.#database = database
    this.#seal = seal
    this.#host = host
  }

  /** Creates the service's own domain and its key, unless they exist. Call it once when the service starts. */
  async begin(): Promise<void> {
    if (!this.#host) return
    const database = this.#database
    const host = this.#host
    await database.rows(
      `insert into mail.domains (id, account_id, domain, state) values ($1, 0, $2, 'active') on conflict (id) do nothing`,
      [SYSTEM_DOMAIN_ID, host]
    )
    await database.rows(`update mail.domains set domain = $2 where id = $1 and domain <> $2`, [
      SYSTEM_DOMAIN_ID,
      host,
    ])
    if ((await this.list(SYSTEM_DOMAIN_ID)).length === 0) await this.add(SYSTEM_DOMAIN_ID, 'active')
  }

  /**
   * Returns the key that signs for an address. That is the key of its domain, if the domain is active and belongs to
   * the account. Otherwise it is the key of the service's own domain. Returns undefined if that does not exist either.
   */
  of(email: string, accountId: number): Promise<SigningDomain | undefined> {
    const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
    const name = `${accountId} ${domain}`
    const known = this.#known.get(name)
    if (known && known.at + KEY_CACHE_MS > Date.now()) return known.lookup
    if (this.#known.size > 10_000) this.#known.clear()
    const lookup = this.#find(domain, accountId)
    this.#known.set(name, { at: Date.now(), lookup })
    lookup.catch(() => this.#known.delete(name))
    return lookup
  }

  /** Clears cached keys. Call it after a change of domains or keys. */
  refresh(): void {
    this.#known.clear()
  }

  async list(domainId: number): Promise<DkimKey[]> {
    const rows = await this.#database.rows<{
      selector: string
      state: DkimKey['state']
      public_key: string
      created_at: Date
    }>(
      `select selector, state, public_key, created_at from mail.dkim_keys where domain_id = $1
       order by created_at desc, selector desc`,
      [domainId]
    )
    return rows.map((row) => ({
      selector: row.selector,
      state: row.state,
      record: `v=DKIM1; k=rsa; p=${row.public_key}`,
      createdAt: row.created_at.toISOString(),
    }))
  }

  /**
   * Creates a key, unless the domain already has one in this state. A domain has at most one `active` and one `next`
   * key. Selectors are never reused.
   */
  async add(domainId: number, state: 'active' | 'next'): Promise<void> {
    const { publicKey, privateKey } = await generate('rsa', {
      modulusLength: KEY_BITS,
      publicKeyEncoding: { type: 'spki', format: 'der' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    })
    await this.#database.transaction(async (client) => {
      const { rows } = await client.query<{ next_selector: number }>(
        `update mail.domains set selectors = selectors + 1 where id = $1 returning selectors as next_selector`,
        [domainId]
      )
      await client.query(
        `insert into mail.dkim_keys (domain_id, selector, private_key, public_key, state)
         values ($1, $2, $3, $4, $5) on conflict do nothing`,
        [
          domainId,
          `berth${rows[0]!.next_selector}`,
          this.#seal.encrypt(privateKey),
          publicKey.toString('base64'),
          state,
        ]
      )
    })
    this.refresh()
  }

  /** Makes the next key sign from now on. The old key stays in DNS, because receivers need it for mail in transit. */
  async switch(domainId: number): Promise<void> {
    await this.#database.transaction(async (client) => {
      await client.query(
        `update mail.dkim_keys set state = 'retired', retired_at = now() where domain_id = $1 and state = 'active'`,
        [domainId]
      )
      await client.query(
        `update mail.dkim_keys set state = 'active' where domain_id = $1 and state = 'next'`,
        [domainId]
      )
    })
    this.refresh()
  }

  async #find(domain: string, accountId: number): Promise<SigningDomain | undefined> {
    const row = await this.#database.row<StoredDomain & { selector: string; private_key: string }>(
      `select d.*, k.selector, k.private_key from mail.domains d
       join mail.dkim_keys k on k.domain_id = d.id and k.state = 'active'
       where d.state = 'active' and ((d.domain = $1 and d.account_id = $2 and d.id <> $3) or d.id = $3)
       order by d.id = $3 limit 1`,
      [domain, accountId, SYSTEM_DOMAIN_ID]
    )
    if (!row || (row.id === SYSTEM_DOMAIN_ID && !this.#host)) return undefined
    const privateKey = createPrivateKey(this.#seal.decrypt(row.private_key))
    return {
      key: { domain: row.domain, selector: row.selector, privateKey },
      returnDomain: row.id === SYSTEM_DOMAIN_ID ? row.domain : bounceDomainOf(row.domain),
    }
  }
}
