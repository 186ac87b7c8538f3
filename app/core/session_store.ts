import type { HttpContext } from '@adonisjs/core/http'
import db from '@adonisjs/lucid/services/db'
import { MessageBuilder } from '@adonisjs/core/helpers'
import string from '@adonisjs/core/helpers/string'
import type { SessionConfig, SessionData, SessionStoreContract } from '@adonisjs/session/types'

/** Keys that the session of an anonymous visitor may contain. They grant no access. */
const ANONYMOUS_SESSION_KEYS = ['csrf-secret', '__flash__', 'intended']
const MAX_COOKIE_CHARACTERS = 2_000
/** A visit extends the session if its expiry was last extended at least this long ago. */
const RENEW_AFTER_SECONDS = 3_600

interface Visit {
  id: string
  data: SessionData
}

/**
 * Stores small sessions of anonymous visitors in an encrypted cookie, bound to the session id. All other sessions,
 * such as after a sign-in, are stored as a table row.
 */
export class SessionStore implements SessionStoreContract {
  readonly #table: SessionStoreContract
  readonly #ctx: HttpContext
  readonly #config: SessionConfig
  #ends: { id: string; at: number } | null = null

  constructor(table: SessionStoreContract, ctx: HttpContext, config: SessionConfig) {
    this.#table = table
    this.#ctx = ctx
    this.#config = config
  }

  async read(id: string): Promise<SessionData | null> {
    return this.#visit(id)?.data ?? (await this.#readRow(id))
  }

  /** Also stores the expiry for `#isDue`. */
  async #readRow(id: string): Promise<SessionData | null> {
    const row = await db.from('sessions').where({ id }).first()
    if (!row) return null
    if (Date.now() > row.expires_at.getTime()) return this.#table.read(id)
    this.#ends = { id, at: row.expires_at.getTime() }
    try {
      return new MessageBuilder().verify<SessionData>(row.data, id)
    } catch {
      return null
    }
  }

  async write(id: string, data: SessionData): Promise<void> {
    const isAnonymous = Object.keys(data).every((key) => ANONYMOUS_SESSION_KEYS.includes(key))
    if (
      isAnonymous &&
      JSON.stringify(data).length <= MAX_COOKIE_CHARACTERS &&
      !(await this.#hasRow(id))
    ) {
      return this.#keep({ id, data })
    }
    await this.#table.write(id, data)
    this.#forget()
  }

  async destroy(id: string): Promise<void> {
    if (this.#visit(id)) this.#forget()
    else await this.#table.destroy(id)
  }

  async touch(id: string): Promise<void> {
    const visit = this.#visit(id)
    if (visit) this.#keep(visit)
    else if (await this.#isDue(id)) await this.#table.touch(id)
  }

  /** Visits that need no new expiry write nothing, so that pages still work with a full disk. */
  async #isDue(id: string): Promise<boolean> {
    const life = string.seconds.parse(this.#config.age)
    const renewed = new Date(Date.now() + (life - RENEW_AFTER_SECONDS) * 1000)
    if (this.#ends?.id === id) return this.#ends.at < renewed.getTime()
    const due = await db.from('sessions').where({ id }).where('expires_at', '<', renewed).first()
    return Boolean(due)
  }

  /** Data from an old cookie must not replace the table row. */
  async #hasRow(id: string): Promise<boolean> {
    const isNew = this.#ctx.request.cookie(this.#config.cookieName) !== id
    return !isNew && !this.#visit(id) && (await this.#table.read(id)) !== null
  }

  get #cookie(): string {
    return `${this.#config.cookieName}-visit`
  }

  #visit(id: string): Visit | null {
    const visit: unknown = this.#ctx.request.encryptedCookie(this.#cookie)
    const isOurs = typeof visit === 'object' && visit !== null && (visit as Visit).id === id
    return isOurs ? (visit as Visit) : null
  }

  #keep(visit: Visit): void {
    this.#ctx.response.encryptedCookie(this.#cookie, visit, this.#config.cookie)
  }

  #forget(): void {
    if (this.#ctx.request.cookiesList()[this.#cookie]) {
      this.#ctx.response.clearCookie(this.#cookie, this.#config.cookie)
    }
  }
}
