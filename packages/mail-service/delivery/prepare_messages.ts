import { domainToASCII } from 'node:url'
import type { ServiceDatabase } from '../../service/database.js'
import type { DkimKeys } from '../dkim/keys.js'
import type { Signer } from '../dkim/signer.js'
import { returnPathFor } from '../message_tokens.js'
import type { ClaimedMessage } from './message_claims.js'
import type { OutgoingMessage } from './connection.js'

export class MessagePreparer {
  readonly #prepared = new Map<string, Promise<OutgoingMessage | undefined>>()

  readonly #parts: {
    contents: ContentLoader
    keys: DkimKeys
    signer: Signer
    /** MAIL_KEY, the key that signs the return paths. */
    key: string
  }

  constructor(parts: { contents: ContentLoader; keys: DkimKeys; signer: Signer; key: string }) {
    this.#parts = parts
  }

  /**
   * Returns the message with its DKIM signature (without one if the service has no key), or undefined if its content
   * was deleted. Rejects if loading or signing fails.
   */
  prepare(message: ClaimedMessage): Promise<OutgoingMessage | undefined> {
    const known = this.#prepared.get(message.id)
    if (known) return known
    const prepared = this.#make(message)
    prepared.catch(() => {})
    this.#prepared.set(message.id, prepared)
    return prepared
  }

  drop(id: string): void {
    this.#prepared.delete(id)
  }

  async #make(message: ClaimedMessage): Promise<OutgoingMessage | undefined> {
    const { contents, keys, signer, key } = this.#parts
    const stored = message.content_id ? await contents.get(message.content_id) : undefined
    if (!stored) return undefined
    const raw = toCrlfLines(stored)
    const email = message.email ?? ''
    const domain = await keys.of(email, message.account_id)
    const at = message.recipient.lastIndexOf('@')
    const to = `${message.recipient.slice(0, at)}@${domainToASCII(message.recipient.slice(at + 1))}`
    if (!domain) return { from: email, to, raw }
    const signature = Buffer.from(await signer.sign(raw, domain.key))
    const from = returnPathFor(key, { id: message.id, domain: domain.returnDomain })
    return { from, to, raw: Buffer.concat([signature, raw]) }
  }
}

/** Loads the contents of messages, with one query for several. */
export class ContentLoader {
  #wanted = new Map<string, ((raw: Buffer | undefined) => void)[]>()
  #loading = false

  readonly #database: ServiceDatabase

  constructor(database: ServiceDatabase) {
    this.#database = database
  }

  /** Returns undefined if the content was deleted. Rejects if the database is unavailable. */
  async get(id: string): Promise<Buffer | undefined> {
    const raw = new Promise<Buffer | undefined>((done) => {
      const others = this.#wanted.get(id)
      if (others) others.push(done)
      else this.#wanted.set(id, [done])
    })
    if (!this.#loading) {
      this.#loading = true
      void this.#load().finally(() => (this.#loading = false))
    }
    return raw
  }

  async #load(): Promise<void> {
    await new Promise(setImmediate)
    while (this.#wanted.size > 0) {
      const wanted = this.#wanted
      this.#wanted = new Map()
      const rows = await this.#database
        .rows<{ id: string; raw: Buffer }>('select id, raw from mail.contents where id = any($1)', [
          [...wanted.keys()],
        ])
        .catch((error: unknown) => error as Error)
      for (const [id, asking] of wanted) {
        for (const done of asking) {
          done(
            (rows instanceof Error
              ? Promise.reject(rows)
              : rows.find((row) => row.id === id)?.raw) as never
          )
        }
      }
    }
  }
}

/**
 * Converts all line ends to CRLF (RFC 5321, 2.3.8). Call it before signing, because the signature covers the bytes that
 * are sent.
 */
export function toCrlfLines(raw: Buffer): Buffer {
  const text = raw.toString('latin1')
  return /(^|[^\r])\n|\r(?!\n)/.test(text)
    ? Buffer.from(text.replaceAll(/\r\n|\r|\n/g, '\r\n'), 'latin1')
    : raw
}
